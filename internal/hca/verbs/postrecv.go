package verbs

import (
	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/verbs/ibv"
)

// PostRecv queues one receive.
func (q *qp) PostRecv(wr hca.RecvWR) error {
	q.mu.Lock()
	defer q.unlock()
	q.oneRcv[0] = wr
	_, err := q.postRecvs(q.oneRcv[:])
	q.oneRcv[0].More = nil
	return err
}

// PostRecvs queues receives with one crossing.
func (q *qp) PostRecvs(wrs []hca.RecvWR) (int, error) {
	q.mu.Lock()
	defer q.unlock()
	return q.postRecvs(wrs)
}

// postRecvs is called with mu held. Without a queue pair of the device the
// receives wait for one, or are flushed if there will be none.
func (q *qp) postRecvs(wrs []hca.RecvWR) (int, error) {
	const op = "PostRecv"
	switch {
	case q.closed:
		return 0, hca.NewError(hca.Closed, op, "queue pair", "it has been closed")
	case q.srq != nil:
		return 0, hca.NewError(hca.State, op, "queue pair", "it has a shared receive queue: post there")
	}
	s := &q.recv
	n, room := 0, int(s.room())
	var err error
	for ; n < len(wrs) && err == nil; n++ {
		switch {
		case n >= room:
			err = s.full
		case segments(wrs[n].Local, wrs[n].More) > q.cfg.RecvSGE:
			err = tooManySegments(op, q.cfg.RecvSGE)
		default:
			s.add(uint64(n), &wrs[n])
			continue
		}
		break
	}
	if n == 0 {
		return 0, err
	}
	s.head.Add(uint64(n))
	switch {
	case q.state > draining:
		q.flushLate = true
	case q.h != 0:
		if e := q.handRecvs(); e != 0 {
			undone := s.head.Load() - s.given.Load()
			s.head.Add(-undone)
			return n - int(undone), explainPost(op, e)
		}
	}
	return n, err
}

// handRecvs gives the device all receives that it does not have yet.
func (q *qp) handRecvs() ibv.Errno {
	s := &q.recv
	given, head := s.given.Load(), s.head.Load()
	for seq := given; seq < head; seq++ {
		w := &s.wrs.S[seq&s.mask]
		w.Next = 0
		if seq+1 < head {
			w.Next = s.wrs.Addr(int((seq + 1) & s.mask))
		}
	}
	if given == head {
		return 0
	}
	s.given.Store(head)
	first := s.wrs.Addr(int(given & s.mask))
	q.args.bad.S[0] = first // as in chain
	e := q.frame.PostRecv(q.h, first, q.args.bad.Addr(0))
	if e == 0 {
		return 0
	}
	for taken := given; taken < head; taken++ {
		if q.args.bad.S[0] == s.wrs.Addr(int(taken&s.mask)) {
			s.given.Store(taken)
			return e
		}
	}
	return 0 // it has taken all of them: see chain
}
