package rdma

import (
	"slices"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/rdma/mem"
)

// Batch collects operations and posts them with one doorbell, which tells the adapter once that
// there is work (verbs: a list for ibv_post_send; uDAPL has none). Post empties it for reuse. It
// allocates only while it grows. Only one goroutine at a time may use a batch.
type Batch struct {
	e     *Endpoint
	of    *session     // of a connection's batch; nil: the endpoint's present connection
	sends []hca.SendWR // zeros behind its end
	recvs []hca.RecvWR
	list  []hca.Segment // further pieces of both
	// earlyRecvs are copies of the receives, for an endpoint that has no queue pair yet.
	earlyRecvs []Recv
	mark       int // len(list) before the request that is being added
}

// NewBatch creates an empty batch for this endpoint.
func (e *Endpoint) NewBatch() *Batch { return &Batch{e: e} }

// session is the connection that the batch is posted on; nil if there is no queue pair yet.
func (b *Batch) session() *session {
	if b.of != nil {
		return b.of
	}
	return b.e.session.Load()
}

// refused adds the call and the object to an error.
func (b *Batch) refused(op string, err error) error {
	if b.of != nil {
		return b.of.refused(op, err)
	}
	return b.e.refused(op, err)
}

// Len is the number of operations in the batch.
func (b *Batch) Len() int { return len(b.sends) + len(b.recvs) + len(b.earlyRecvs) }

// Reset empties the batch without posting.
func (b *Batch) Reset() {
	clear(b.sends)
	clear(b.recvs)
	clear(b.earlyRecvs)
	b.sends, b.recvs, b.earlyRecvs, b.list = b.sends[:0], b.recvs[:0], b.earlyRecvs[:0], b.list[:0]
}

// Send adds a message. It checks the arguments as far as possible now; after an error the
// batch is unchanged. The same holds for the other methods that add an operation. All but Recv
// need a connected endpoint.
func (b *Batch) Send(s Send) error {
	wr, sess, err := b.next()
	if err == nil {
		err = sess.fillSend(wr, &s, &b.list)
	}
	return b.added("batch send", err)
}

// Recv adds a receive, in any state of the endpoint. Post posts the receives before the other
// operations. Without a connection, Post checks them.
func (b *Batch) Recv(r Recv) error {
	sess := b.session()
	if sess == nil || len(b.earlyRecvs) > 0 {
		r.More = slices.Clone(r.More)
		b.earlyRecvs = append(b.earlyRecvs, r)
		return nil
	}
	mark := len(b.list)
	b.recvs = append(b.recvs, hca.RecvWR{})
	err := fillRecv(&b.recvs[len(b.recvs)-1], &r, sess.zone, sess.recvSegments, &b.list)
	if err != nil {
		b.recvs, b.list = b.recvs[:len(b.recvs)-1], b.list[:mark]
	}
	return sess.told("batch receive", err)
}

// Read adds a read.
func (b *Batch) Read(r Read) error {
	wr, sess, err := b.next()
	if err == nil {
		err = sess.fillRead(wr, &r, &b.list)
	}
	return b.added("batch read", err)
}

// Write adds a write.
func (b *Batch) Write(w Write) error {
	if b.plainWrite(&w) {
		return nil
	}
	wr, sess, err := b.next()
	if err == nil {
		err = sess.fillWrite(wr, &w, &b.list)
	}
	return b.added("batch write", err)
}

// plainWrite is Write's fast path: one piece of memory, no special flags, all checks passed,
// and room in the list. It sets only the fields that are not zero.
func (b *Batch) plainWrite(w *Write) bool {
	sess, n := b.session(), len(b.sends)
	if sess == nil || n == cap(b.sends) {
		return false
	}
	if !w.From.Allows(sess.zoneID, mem.LocalRead) || len(w.More) != 0 || w.Flags&^readFlags != 0 || !w.To.Valid() || uint64(w.From.Len()) > min(sess.maxTransfer, w.To.Length) {
		return false
	}
	b.sends = b.sends[:n+1]
	wr := &b.sends[n]
	wr.ID, wr.Op, wr.Flags, wr.Local = w.Cookie, hca.OpWrite, hca.Flags(w.Flags), segment(w.From)
	wr.Remote, wr.RKey = w.To.Addr, hca.Key(w.To.Key)
	return true
}

// FetchAdd adds a fetch-and-add.
func (b *Batch) FetchAdd(f FetchAdd) error {
	wr, sess, err := b.next()
	if err == nil {
		*wr = hca.SendWR{ID: f.Cookie, Op: hca.OpFetchAdd, Operand: f.Add}
		err = sess.fillAtomic(wr, f.Into, &f.At, f.Flags)
	}
	return b.added("batch fetch-add", err)
}

// CompareSwap adds a compare-and-swap.
func (b *Batch) CompareSwap(c CompareSwap) error {
	wr, sess, err := b.next()
	if err == nil {
		*wr = hca.SendWR{ID: c.Cookie, Op: hca.OpCompareSwap, Operand: c.Swap, Compare: c.Compare}
		err = sess.fillAtomic(wr, c.Into, &c.At, c.Flags)
	}
	return b.added("batch compare-swap", err)
}

// next appends an empty request; added removes it after an error.
func (b *Batch) next() (*hca.SendWR, *session, error) {
	b.sends, b.mark = append(b.sends, hca.SendWR{}), len(b.list)
	sess := b.session()
	if sess == nil {
		return nil, nil, b.e.notConnected("")
	}
	return &b.sends[len(b.sends)-1], sess, nil
}

func (b *Batch) added(op string, err error) error {
	if err == nil {
		return nil
	}
	b.sends, b.list = shorten(b.sends), b.list[:b.mark]
	return b.refused(op, err)
}

// shorten drops the last request.
func shorten(s []hca.SendWR) []hca.SendWR {
	last := len(s) - 1
	s[last] = hca.SendWR{}
	return s[:last]
}

// Post posts the operations of the batch, in order, and returns how many were queued. If not
// all were, the error belongs to the first that was refused, and the remaining operations stay
// in the batch: after ErrQueueFull, take completions and call Post again. The errors are those
// of the single posts.
func (b *Batch) Post() (int, error) {
	n, err := b.postEarlyRecvs()
	if err != nil {
		return n, err
	}
	sess := b.session()
	if sess == nil {
		if len(b.sends)+len(b.recvs) == 0 {
			b.Reset()
			return n, nil
		}
		return n, b.e.notConnected("post batch")
	}
	if len(b.recvs) > 0 {
		var k int
		k, err = sess.qp.PostRecvs(b.recvs)
		b.recvs = shift(b.recvs, k)
		n += k
		b.e.lookAtMarks(0)
	}
	if err == nil && len(b.sends) > 0 {
		var k int
		k, err = sess.poster().PostSends(b.sends)
		b.sends = shift(b.sends, k)
		n += k
	}
	if err == nil {
		b.Reset()
	}
	return n, sess.told("post batch", err)
}

// postEarlyRecvs posts the receives that were added when there was no queue pair.
func (b *Batch) postEarlyRecvs() (n int, err error) {
	for n < len(b.earlyRecvs) && err == nil {
		if err = b.e.PostRecv(b.earlyRecvs[n]); err == nil {
			n++
		}
	}
	b.earlyRecvs = shift(b.earlyRecvs, n)
	if err != nil {
		err = b.refused("post batch", err)
	}
	return n, err
}

// shift drops the first n requests, in place.
func shift[T any](s []T, n int) []T {
	rest := copy(s, s[n:])
	clear(s[rest:])
	return s[:rest]
}
