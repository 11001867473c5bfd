package hcatest

import (
	"github.com/godapl/godapl/internal/hca"
)

var objectCases = []Case{
	{"objects", "a domain cannot be closed while something belongs to it", domainInUse},
	{"objects", "a completion queue cannot be closed while a queue pair uses it", queueInUse},
	{"objects", "a shared receive queue cannot be closed while a queue pair uses it", srqInUse},
	{"objects", "a queue pair needs a domain and queues of its adapter", queuePairNeeds},
	{"objects", "closing twice does no harm", closeTwice},
}

func domainInUse(t *env) {
	s := t.side("adapter", hca.Options{})
	pd := s.domain()
	hold := func(what string, release func() error) {
		t.code("PD.Close with "+what, pd.Close(), hca.InUse)
		t.must("closing "+what, release())
	}
	hold("a region", s.regionIn(pd, 64, hca.LocalRead).mr.Close)
	for caps, kind := range map[hca.Caps]hca.WindowKind{
		hca.CapZoneWindows: hca.ZoneWindow, hca.CapEndpointWindows: hca.EndpointWindow,
	} {
		if s.can(caps) {
			mw, err := pd.NewWindow(kind)
			t.must("NewWindow", err)
			hold("a window", mw.Close)
		}
	}
	if s.can(hca.CapSRQ) {
		srq, err := pd.NewSRQ(hca.SRQConfig{Depth: 4, MaxSGE: 1})
		t.must("NewSRQ", err)
		hold("a shared receive queue", srq.Close)
	}
	e := s.end(setup{pd: pd})
	t.must("closing the mail", e.mail.mr.Close())
	hold("a queue pair", e.qp.Close)
	t.must("PD.Close of an empty domain", pd.Close())
}

func queueInUse(t *env) {
	s := t.side("adapter", hca.Options{})
	e := s.end(setup{})
	t.code("CQ.Close of the send queue", e.sq.cq.Close(), hca.InUse)
	t.code("CQ.Close of the receive queue", e.rq.cq.Close(), hca.InUse)
	e.close()
	t.must("CQ.Close of the send queue", e.sq.cq.Close())
	t.must("CQ.Close of the receive queue", e.rq.cq.Close())
	// One queue for both sides, and for two queue pairs.
	e = s.end(setup{oneQueue: true})
	e2 := s.end(setup{sq: e.sq, rq: e.sq})
	e.close()
	t.code("CQ.Close with one of two gone", e.sq.cq.Close(), hca.InUse)
	e2.close()
	t.must("CQ.Close with both gone", e.sq.cq.Close())
}

func srqInUse(t *env) {
	s := t.side("adapter", hca.Options{})
	if !s.can(hca.CapSRQ) {
		t.Logf("no shared receive queues; their refusal is checked under attributes")
		return
	}
	srq, err := s.pd.NewSRQ(hca.SRQConfig{Depth: 4, MaxSGE: 1})
	t.must("NewSRQ", err)
	e, e2 := s.end(setup{srq: srq}), s.end(setup{srq: srq})
	t.code("SRQ.Close", srq.Close(), hca.InUse)
	e.close()
	t.code("SRQ.Close with one of two gone", srq.Close(), hca.InUse)
	e2.close()
	t.must("SRQ.Close with both gone", srq.Close())
}

func queuePairNeeds(t *env) {
	s := t.side("adapter", hca.Options{})
	q := s.queue(8)
	good := (&end{side: s, pd: s.pd, sq: q, rq: q, ev: newEvents(t, s.name, nil)}).config(setup{})
	try := func(what string, change func(*hca.QPConfig), codes ...hca.Code) {
		cfg := good
		change(&cfg)
		_, err := s.ad.NewQP(cfg)
		t.code("NewQP with "+what, err, codes...)
	}
	try("no domain", func(c *hca.QPConfig) { c.PD = nil }, hca.Invalid)
	try("no send queue", func(c *hca.QPConfig) { c.SendCQ = nil }, hca.Invalid)
	try("no receive queue", func(c *hca.QPConfig) { c.RecvCQ = nil }, hca.Invalid)
	dead := s.domain()
	t.must("PD.Close", dead.Close())
	try("a closed domain", func(c *hca.QPConfig) { c.PD = dead }, hca.Closed, hca.Invalid)
	deadQ := s.queue(8)
	t.must("CQ.Close", deadQ.cq.Close())
	try("a closed queue", func(c *hca.QPConfig) { c.RecvCQ = deadQ.cq }, hca.Closed, hca.Invalid)

	o := t.side("another adapter", hca.Options{})
	try("a foreign domain", func(c *hca.QPConfig) { c.PD = o.pd }, hca.Invalid, hca.Protection)
	foreign := o.queue(8)
	try("a foreign queue", func(c *hca.QPConfig) { c.SendCQ = foreign.cq }, hca.Invalid, hca.Protection)
	if s.can(hca.CapSRQ) {
		srq, err := s.domain().NewSRQ(hca.SRQConfig{Depth: 4, MaxSGE: 1})
		t.must("NewSRQ", err)
		cfg := good
		cfg.SRQ = srq // of another domain: some adapters can do that
		if qp, err := s.ad.NewQP(cfg); err != nil {
			t.code("NewQP with an SRQ of another domain", err, hca.Invalid, hca.Protection)
		} else {
			t.must("QP.Close", qp.Close())
		}
		t.must("SRQ.Close: no refused queue pair uses it", srq.Close())
	}
	t.must("CQ.Close: no refused queue pair uses it", q.cq.Close())
}

func closeTwice(t *env) {
	s := t.side("adapter", hca.Options{})
	pd := s.domain()
	r := s.regionIn(pd, 64, hca.LocalRead)
	e := s.end(setup{})
	e.close()
	closers := []struct {
		what  string
		close func() error
	}{{"MR", r.mr.Close}, {"PD", pd.Close}, {"QP", e.qp.Close}, {"CQ", e.sq.cq.Close}}
	type closer = struct {
		what  string
		close func() error
	}
	for caps, kind := range map[hca.Caps]hca.WindowKind{
		hca.CapZoneWindows: hca.ZoneWindow, hca.CapEndpointWindows: hca.EndpointWindow,
	} {
		if s.can(caps) {
			mw, err := s.pd.NewWindow(kind)
			t.must("NewWindow", err)
			closers = append(closers, closer{"MW", mw.Close})
		}
	}
	if s.can(hca.CapSRQ) {
		srq, err := s.pd.NewSRQ(hca.SRQConfig{Depth: 4, MaxSGE: 1})
		t.must("NewSRQ", err)
		closers = append(closers, closer{"SRQ", srq.Close})
	}
	ln, _ := s.listen()
	closers = append(closers, closer{"Listener", ln.Close})
	for _, c := range closers {
		if c.what != "QP" { // closed above
			t.must(c.what+".Close", c.close())
		}
		t.gone(c.what+".Close again", t.within(c.what+".Close again", c.close))
	}
	s.close()
	t.gone("Adapter.Close again", t.within("Adapter.Close again", s.ad.Close))
}
