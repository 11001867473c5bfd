package hcatest

import (
	"github.com/godapl/godapl/internal/hca"
)

var srqCases = []Case{
	{"shared receives", "serve every queue pair, each from one queue", withSRQ(srqShared)},
	{"shared receives", "make the queue pair's own posts a state error", withSRQ(srqOwnPost)},
	{"shared receives", "an empty queue is a receiver that is not ready", withSRQ(srqEmpty)},
	{"shared receives", "the queue takes what was asked for, then is full until polled", withSRQ(srqDepth)},
	{"shared receives", "are counted", withSRQ(srqCounts)},
	{"shared receives", "resize keeps what is there", withSRQ(srqResize)},
	{"shared receives", "keep their segments, rights and limits", withSRQ(srqSegments)},
	{"shared receives", "what no queue pair took vanishes with the queue", withSRQ(srqVanish)},
}

// shared is a shared receive queue on the listener's side. Its entries go to one
// completion queue.
type shared struct {
	*fixture
	srq    hca.SRQ
	rq     *queue
	limits chan struct{}
	ids    uint64
}

// withSRQ runs a case with a shared receive queue of depth 32, if the adapter
// has them.
func withSRQ(f func(s *shared)) func(t *env) {
	return func(t *env) {
		fx := t.fixture(hca.Options{})
		if !fx.b.can(hca.CapSRQ) {
			t.Logf("no shared receive queues; their refusal is checked under attributes")
			return
		}
		s := &shared{fixture: fx, rq: fx.b.queue(256), limits: make(chan struct{}, 64)}
		srq, err := fx.b.pd.NewSRQ(hca.SRQConfig{
			Depth: 32, MaxSGE: limit(2, fx.b.attr.MaxSGE),
			Limit: func() { s.limits <- struct{}{} },
		})
		t.must("NewSRQ", err)
		s.srq = srq
		f(s)
	}
}

// join makes a connection whose listening end receives from the queue.
func (s *shared) join() *conn {
	s.Helper()
	return s.pair(setup{}, setup{srq: s.srq, rq: s.rq})
}

func (s *shared) post(segs ...hca.Segment) uint64 {
	s.Helper()
	s.ids++
	wr := hca.RecvWR{ID: 1<<32 + s.ids}
	if len(segs) > 0 {
		wr.Local, wr.More = segs[0], segs[1:]
	}
	s.must("SRQ.PostRecv", s.srq.PostRecv(wr))
	return wr.ID
}

func srqShared(s *shared) {
	box := s.b.region(64*32, hca.LocalWrite)
	both := []*conn{s.join(), s.join(), s.join()}
	slots := map[uint64]int{}
	for i := range 8 {
		slots[s.post(box.seg(64*i, 64))] = i
	}
	for round := range 300 {
		c := both[s.rng.IntN(3)]
		n := s.rng.IntN(65)
		fill(c.a.mail.b[:n], round)
		c.a.do(send(c.a.mail.seg(0, n)))
		wc := s.rq.next("message")
		slot, ok := slots[wc.ID]
		if !ok {
			s.Fatalf("receive %d was not posted, or came back before", wc.ID)
		}
		delete(slots, wc.ID)
		c.b.match(wc, want{id: wc.ID, op: hca.OpRecv, len: uint64(n)}) // and so does the owner
		box.holds("message", 64*slot, n, round)
		slots[s.post(box.seg(64*slot, 64))] = slot
	}
	box.guards("messages")
}

func srqOwnPost(s *shared) {
	c := s.join()
	s.code("PostRecv", c.b.qp.PostRecv(hca.RecvWR{ID: 1}), hca.State)
	n, err := c.b.qp.PostRecvs([]hca.RecvWR{{ID: 1}, {ID: 2}})
	s.code("PostRecvs", err, hca.State)
	if n != 0 {
		s.Errorf("PostRecvs took %d", n)
	}
}

func srqEmpty(s *shared) {
	if s.h.NoReceiveWait {
		s.Logf("not checked: this device breaks the connection instead")
		return
	}
	c := s.join()
	for range 20 {
		sent := c.a.post(send(c.a.mail.seg(0, 8)))
		for range 10 {
			s.rq.empty("no receive yet")
		}
		id := s.post(c.b.mail.seg(0, 8))
		c.b.got(want{id: id, op: hca.OpRecv, len: 8})
		c.a.sent(want{id: sent, op: hca.OpSend, len: 8})
	}
}
