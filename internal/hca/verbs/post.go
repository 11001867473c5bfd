package verbs

import (
	"strconv"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/verbs/ibv"
)

// PostSend queues one request: one crossing into the library.
func (q *qp) PostSend(wr hca.SendWR) error {
	q.mu.Lock()
	if q.crowded() {
		q.mu.Unlock()
		q.makeRoom()
		q.mu.Lock()
	}
	q.one[0] = wr
	_, err := q.posts(q.one[:])
	q.letBinds()
	q.one[0].More, q.one[0].Bind = nil, nil
	q.unlock()
	return err
}

// PostSends queues requests: one crossing for up to a batch of them.
func (q *qp) PostSends(wrs []hca.SendWR) (int, error) {
	q.mu.Lock()
	defer q.unlock()
	n := 0
	for n < len(wrs) {
		if q.crowded() {
			q.mu.Unlock()
			q.makeRoom()
			q.mu.Lock()
		}
		k, err := q.posts(wrs[n:])
		q.letBinds()
		n += k
		if err != nil {
			return n, err
		}
	}
	return n, nil
}

// crowded reports that the queue is full although some of its requests may have ended:
// if the consumer is busy with other queues, the ends of suppressed requests have not
// been polled.
func (q *qp) crowded() bool {
	return q.state == connected && q.send.room() == 0 && q.send.outstanding() > 0
}

// posts queues as many requests as fit in one crossing. Called with mu held.
func (q *qp) posts(wrs []hca.SendWR) (int, error) {
	const op = "PostSend"
	given, err := q.mayPost(op)
	if err != nil {
		return 0, err
	}
	room := q.send.borrow()
	if room == 0 {
		return 0, q.send.full
	}
	n := 0
	base := q.send.head.Load()
	for n < len(wrs) && n < room && n < len(q.args.wrs.S) {
		if given && (len(q.backlog) > 0 || q.fenced(&wrs[n])) {
			if n > 0 {
				break // those before it first
			}
			if err = q.build(base, 0, &wrs[0]); err != nil {
				return 0, err
			}
			if err = q.hold(&wrs[0]); err != nil {
				return 0, err
			}
			return 1, nil
		}
		if q.ad.softFence && n > 0 && wrs[n].Flags&hca.Fence != 0 {
			break // it may have to wait for those before it
		}
		if err = q.build(base, n, &wrs[n]); err != nil {
			break
		}
		n++
		if wrs[n-1].Op == hca.OpBind {
			break // of a zone window: a call of its own; otherwise what follows is to find the window bound
		}
	}
	if n == 0 {
		return 0, err
	}
	if !given {
		q.send.head.Add(uint64(n))
		q.flushLate = true
		return n, err
	}
	k, perr := q.hand(n, wrs[:n])
	q.ad.watch.posted()
	if perr != nil {
		return k, perr
	}
	return k, err
}

// unlock releases mu, and flushes requests that were posted after the end.
func (q *qp) unlock() {
	late, pulled := q.flushLate && q.state == over, q.pulled
	q.flushLate, q.pulled = false, false
	// The last read that a fence waits for may have ended just before the request was
	// queued.
	free := len(q.backlog) > 0 && q.send.reads.Load() == 0
	q.mu.Unlock()
	if free {
		q.release()
	}
	if pulled {
		q.rcq.drive()
	}
	if late {
		q.flush()
	}
}

// mayPost reports whether requests go to the device or are flushed at once.
func (q *qp) mayPost(op string) (given bool, err error) {
	switch {
	case q.closed:
		return false, hca.NewError(hca.Closed, op, "queue pair", "it has been closed")
	case q.state == connected:
		return true, nil
	case q.state == draining:
		return false, hca.NewError(hca.State, op, "queue pair", "it is being disconnected")
	case q.state < connected:
		return false, hca.NewError(hca.State, op, "queue pair", "it is not connected")
	}
	return false, nil
}

// hand gives n built requests to the device, and returns how many it has taken.
func (q *qp) hand(n int, wrs []hca.SendWR) (int, error) {
	last := &wrs[n-1]
	chain := n
	if isZoneBind(last) {
		chain--
	}
	taken, e := 0, ibv.Errno(0)
	if chain > 0 {
		taken, e = q.chain(chain)
	}
	if e == 0 && chain < n {
		if e = q.bindZone(last); e == 0 {
			taken++
		}
	}
	for i := range taken {
		if b := wrs[i].Bind; b != nil && wrs[i].Op == hca.OpBind {
			q.bindPosted(b, q.args.keys[i])
		}
	}
	q.probeNow()
	if e != 0 {
		return taken, explainPost("PostSend", e)
	}
	return taken, nil
}

// chain posts the first n work requests as one list.
func (q *qp) chain(n int) (int, ibv.Errno) {
	w := q.args.wrs
	for i := range n - 1 {
		w.S[i].Next = w.Addr(i + 1)
	}
	w.S[n-1].Next = 0
	s := &q.send
	base := s.given.Load()
	for i := range n {
		seq := base + uint64(i)
		s.note(&s.recs[seq&s.mask], seq)
	}
	// A completion may be polled before the call returns.
	s.give(base + uint64(n))
	q.args.bad.S[0] = w.Addr(0) // a library that refuses without saying which has taken none
	e := q.frame.PostSend(q.h, w.Addr(0), q.args.bad.Addr(0))
	if e == 0 {
		return n, 0
	}
	taken := 0
	for taken < n && q.args.bad.S[0] != w.Addr(taken) {
		taken++
	}
	if taken == n {
		// The device has taken all of them and then failed: siw queues requests before
		// it notices that the connection is gone. They complete.
		return n, 0
	}
	s.forget(uint64(n - taken))
	return taken, e
}

// give records that the device has all requests up to a number.
func (s *sendQ) give(to uint64) {
	if s.head.Load() < to {
		s.head.Store(to)
	}
	s.given.Store(to)
}

// drive processes the completions that the device has.
func (c *cq) drive() {
	c.mu.Lock()
	c.pull()
	c.finish()
}

// queueFull is the error of a post that finds no room.
func queueFull(op, object string, depth int) error {
	return hca.NewError(hca.QueueFull, op, object,
		strconv.Itoa(depth)+" are under way, or the completions that nobody has taken fill their queue: poll completions, or make the queue deeper")
}
