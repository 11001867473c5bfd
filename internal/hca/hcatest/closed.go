package hcatest

import (
	"github.com/godapl/godapl/internal/hca"
)

var closedCases = []Case{
	{"closed objects", "say so at every call", closedCalls},
	{"closed objects", "an adapter's objects end with it", closedAdapter},
}

func closedCalls(t *env) {
	f := t.fixture(hca.Options{})
	s := f.a
	e := s.end(setup{})
	e.close()
	t.code("PostSend", e.qp.PostSend(send()), hca.Closed)
	_, err := e.qp.PostSends([]hca.SendWR{send()})
	t.code("PostSends", err, hca.Closed)
	t.code("PostRecv", e.qp.PostRecv(hca.RecvWR{}), hca.Closed)
	_, err = e.qp.PostRecvs([]hca.RecvWR{{}})
	t.code("PostRecvs", err, hca.Closed)
	t.code("Connect", f.result("Connect", f.dial(t.ctx(), e, nil)), hca.Closed)
	t.gone("Disconnect", e.qp.Disconnect(true))
	e.idle("closed")

	q := s.queue(8)
	t.must("CQ.Close", q.cq.Close())
	t.code("CQ.Arm", q.cq.Arm(), hca.Closed)
	if s.can(hca.CapResizeCQ) {
		t.code("CQ.Resize", q.cq.Resize(16), hca.Closed)
	}
	q.empty("closed")

	if s.can(hca.CapSRQ) {
		srq, err := s.pd.NewSRQ(hca.SRQConfig{Depth: 4, MaxSGE: 1})
		t.must("NewSRQ", err)
		t.must("SRQ.Close", srq.Close())
		t.code("SRQ.PostRecv", srq.PostRecv(hca.RecvWR{}), hca.Closed)
		t.code("SRQ.Arm", srq.Arm(1), hca.Closed, hca.Unsupported)
	}

	pd := s.domain()
	t.must("PD.Close", pd.Close())
	_, err = pd.Register(hca.Memory{Bytes: make([]byte, 8)}, hca.LocalRead)
	t.code("PD.Register", err, hca.Closed)
	_, err = pd.NewWindow(hca.ZoneWindow)
	t.code("PD.NewWindow", err, hca.Closed, hca.Unsupported)
	_, err = pd.NewSRQ(hca.SRQConfig{Depth: 4, MaxSGE: 1})
	t.code("PD.NewSRQ", err, hca.Closed, hca.Unsupported)
}

func closedAdapter(t *env) {
	s := t.side("adapter", hca.Options{})
	e := s.end(setup{})
	ln, _ := s.listen()
	r := s.region(64, hca.LocalRead)
	s.close()
	_, err := s.ad.NewPD()
	t.code("NewPD", err, hca.Closed)
	_, err = s.ad.NewCQ(hca.CQConfig{Depth: 4})
	t.code("NewCQ", err, hca.Closed)
	_, err = s.ad.NewQP(e.config(setup{}))
	t.code("NewQP", err, hca.Closed)
	_, err = s.ad.Listen(t.ctx(), hca.ListenConfig{
		Address:   s.h.listenAddress(s.ad),
		OnRequest: func(hca.ConnRequest) bool { return false },
	})
	t.code("Listen", err, hca.Closed)
	_, err = s.pd.Register(hca.Memory{Bytes: make([]byte, 8)}, hca.LocalRead)
	t.code("PD.Register", err, hca.Closed)
	t.code("PostSend", e.qp.PostSend(send()), hca.Closed)
	t.code("PostRecv", e.qp.PostRecv(hca.RecvWR{}), hca.Closed)
	t.code("CQ.Arm", e.sq.cq.Arm(), hca.Closed)
	t.gone("QP.Close", e.qp.Close())
	t.gone("MR.Close", r.mr.Close())
	t.gone("PD.Close", s.pd.Close())
	t.gone("CQ.Close", e.sq.cq.Close())
	t.gone("Listener.Close", ln.Close())
	if s.ad.Attr() == nil {
		t.Errorf("a closed adapter has lost its attributes")
	}
}
