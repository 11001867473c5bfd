package rdma

import (
	"context"
	"errors"
	"fmt"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/rdma/mem"
)

// Recv waits for a message and returns its length (uDAPL: dat_ep_post_recv and dat_evd_wait). It
// can be used while other goroutines read RecvCompletions: a message goes to the oldest posted receive, from any caller. With
// EndpointConfig.SolicitedOnly only solicited messages wake it. The errors are those of
// [Conn.Send].
//
// Recv is for programs whose peers only send messages. It does not return the immediate data
// of a message. A write with immediate data also consumes a receive, but puts no message into
// the memory: Recv then returns ErrUnsupported, with the peer's number in [Error].Immediate.
// [Conn.Receive] returns all of this.
//
// When ctx is done, Recv returns ErrTimeout or ErrCanceled with the context's cause. The
// receive stays posted and its memory belongs to the adapter. No message is lost: the next
// call of Recv takes the receive over instead of posting another. If that call names other
// memory, the message is copied there; if it does not fit, the error is ErrLength and the
// message stays for the next call. So a loop may call Recv with the same memory and a new
// context each time, if no other goroutine calls Recv of this connection: that one may take the
// receive over, and its memory with it. Where several goroutines call Recv, the memory of a call
// whose context has ended is the adapter's until the connection has ended: pass other memory.
func (c *Conn) Recv(ctx context.Context, into mem.Slice) (int, error) {
	var done Completion
	if err := c.receive(ctx, into, &done); err != nil {
		return 0, err
	}
	if done.Op == OpRecvWriteImm {
		return 0, &hca.Error{Op: "receive", Object: c.session.object(), Code: hca.Unsupported, Immediate: done.Immediate,
			Detail: fmt.Sprintf("no message came, but a write with immediate data (%#x); call Receive where peers write so", done.Immediate)}
	}
	return done.Length, nil
}

// Receive is Recv that returns the completion: of a message ([OpRecv], [OpRecvImm] with the
// peer's number, [OpRecvInvalidate] with the revoked key), with its length, or of a write with
// immediate data ([OpRecvWriteImm]), which leaves the memory unchanged. The Cookie of the
// completion has no meaning.
func (c *Conn) Receive(ctx context.Context, into mem.Slice) (Completion, error) {
	var done Completion
	err := c.receive(ctx, into, &done)
	if err != nil {
		return Completion{}, err
	}
	done.Cookie = 0
	return done, nil
}

// receive waits for the completion of a receive.
func (c *Conn) receive(ctx context.Context, into mem.Slice, done *Completion) error {
	const op = "receive"
	if over(ctx) {
		return contextError(ctx, op, c.session.object(), nothingBegun)
	}
	defer region(ctx, op).End()
	sess := c.session
	p := sess.pending.adopt()
	if p == nil {
		var err error
		if p, err = sess.postPendingRecv(ctx, into); err != nil {
			return sess.refused(op, err)
		}
	}
	from := p.into
	if !p.await(ctx) {
		return contextError(ctx, op, sess.object(), receiveStays)
	}
	if p.c.Status == StatusOK && from != into {
		if err := sess.moveMessage(p, from, into); err != nil {
			return sess.refused(op, err)
		}
	}
	*done = p.c
	sess.pending.close(p)
	return sess.opError(ctx, op, done)
}

// postPendingRecv posts a receive for a waiting caller.
func (sess *session) postPendingRecv(ctx context.Context, into mem.Slice) (*pendingOp, error) {
	var wr hca.RecvWR
	if err := fillRecv(&wr, &Recv{Into: into}, sess.zone, 1, nil); err != nil {
		return nil, err
	}
	p := sess.pending.open(sess.recvQ)
	p.recv, p.into = true, into
	wr.ID, wr.Flags = p.id, hca.Private
	err := sess.qp.PostRecv(wr)
	if errors.Is(err, hca.QueueFull) {
		err = sess.postRecvWhenRoom(ctx, wr)
	}
	if err != nil {
		sess.pending.unposted(p)
		return nil, err
	}
	sess.ep.lookAtMarks(0)
	return p, nil
}

// postRecvWhenRoom is a separate function so that only a full queue causes an allocation.
func (sess *session) postRecvWhenRoom(ctx context.Context, wr hca.RecvWR) error {
	return sess.postWhenRoom(ctx, "receive", sess.recvQ, func() error { return sess.qp.PostRecv(wr) })
}

// moveMessage copies the message of a receive that was taken over. The receive is complete, so
// its memory belongs to the program again.
func (sess *session) moveMessage(p *pendingOp, from, into mem.Slice) error {
	n := p.c.Length
	if p.c.Op == OpRecvWriteImm {
		return nil // the memory is unchanged
	}
	b := from.Bytes()
	if n > into.Len() {
		sess.pending.giveBack(p)
		return hca.NewError(hca.Length, "", "",
			fmt.Sprintf("a message of %d bytes does not fit into %d; call again with more room", n, into.Len()))
	}
	if n > len(b) {
		sess.pending.close(p)
		return hca.NewError(hca.Privileges, "", "",
			"the memory of a cancelled Recv has been freed, and with it the message")
	}
	if _, err := checkedSegment(&into, sess.zone, mem.LocalWrite); err != nil {
		sess.pending.giveBack(p)
		return err
	}
	if n > 0 {
		if _, err := into.Region().WriteAt(b[:n], int64(into.Offset())); err != nil {
			sess.pending.giveBack(p)
			return err
		}
	}
	return nil
}
