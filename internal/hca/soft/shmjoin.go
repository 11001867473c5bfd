package soft

import (
	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/shm"
)

func shmBarrier() bool { return shm.BarrierRegistered() }

func (p *shmPath) newConn(q *qp) (*shmConn, error) {
	c := &shmConn{q: q, a: q.a, p: p, number: numbers.Add(1), sock: -1, own: -1, apart: make(chan struct{})}
	c.peer.bell = -1
	var err error
	c.own, err = shm.NewEvent()
	return c, err
}

// probePeer is replaced in tests.
var probePeer = shm.ProbePeer

// know takes over how to reach the peer's memory: its board, whose descriptor
// becomes the connection's, and whether the kernel helps.
func (c *shmConn) know(s *shm.Sock, h *shmHello, board int) error {
	c.peer.pid = s.Peer().PID
	c.peer.vm = probePeer(c.peer.pid, h.probe, h.secret[:]) == nil
	var err error
	if c.peer.board, err = shm.OpenSegment(board, boardSize, shm.ReadOnly); err != nil {
		return err
	}
	_ = c.peer.board.CloseFile()
	return nil
}

// attach takes the memory over, as the side that it is. On an error nothing of
// it is kept, and discard gives the rest back.
func (c *shmConn) attach(seg *shm.Segment, side int, h *shmHello) error {
	c.m.init(seg, side, shm.NewOrder(h.barrier))
	c.peer.zone, c.peer.conn, c.peer.sees = h.zone, h.conn, h.sees
	b := seg.Bytes()
	for _, err := range []error{
		c.out.requests.init(b, side, shmRequests), c.out.answers.init(b, side^1, shmAnswers),
		c.in.requests.init(b, side^1, shmRequests), c.in.answers.init(b, side, shmAnswers),
	} {
		if err != nil {
			return err
		}
	}
	return nil
}

// discard gives back what a connection has that never was.
func (c *shmConn) discard() {
	if c.m.seg != nil {
		_ = c.m.seg.Close()
	}
	if c.peer.board != nil {
		_ = c.peer.board.Close()
		c.peer.board = nil
	}
	c.maps.close()
	for _, fd := range []int{c.own, c.peer.bell, c.sock} {
		if fd >= 0 {
			shm.CloseFD(fd)
		}
	}
}

// unmap gives everything back. The caller is inside both gates.
func (c *shmConn) unmap() {
	c.unwatchFDs()
	c.sockMu.Lock()
	c.sockGone = true
	c.sockMu.Unlock()
	c.discard()
	c.m.seg = nil
}

// join makes the connection the queue pair's and reports it. It owns the socket.
func (c *shmConn) join(s *shm.Sock, h *shmHello, info hca.ConnInfo) error {
	q := c.q
	fd, err := s.Detach()
	if err == nil {
		c.sock = fd
		err = c.watchFDs()
	}
	if err != nil {
		c.discard()
		return q.openFailed(hca.Wrap(hca.Resources, "connect", info.Remote, "", err))
	}
	if !q.opened(c) {
		c.unwatchFDs()
		c.discard()
		return q.openFailed(errAborted)
	}
	c.remote = info.Remote
	info.Path, info.Acked, info.Poster = "shm", true, c
	info.Caps = q.a.attr.Caps
	info.ReadsOut, info.ReadsIn = min(q.cfg.ReadsOut, h.reads.in), min(q.cfg.ReadsIn, h.reads.out)
	c.mute.Store(info.ReadsOut == 0)
	q.cfg.Event(hca.ConnEvent{Kind: hca.EventEstablished, Info: &info})
	c.start()
	q.release()
	return nil
}
