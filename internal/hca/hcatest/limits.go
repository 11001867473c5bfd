package hcatest

import (
	"github.com/godapl/godapl/internal/hca"
)

var limitCases = []Case{
	{"limits", "a queue without entries is invalid", emptyDepths},
	{"limits", "what is over a limit is refused", overLimits},
	{"limits", "a count of objects holds and frees again", objectLimits},
	{"limits", "more segments than agreed are invalid", tooManySegments},
	{"limits", "a message over the maximum is refused", tooLong},
	{"limits", "a side made for no reads can post none, and its peer can", noReads},
}

func emptyDepths(t *env) {
	s := t.side("adapter", hca.Options{})
	for _, n := range []int{0, -1, -1 << 31} {
		_, err := s.ad.NewCQ(hca.CQConfig{Depth: n})
		t.code("NewCQ", err, hca.Invalid)
		if s.can(hca.CapSRQ) {
			_, err = s.pd.NewSRQ(hca.SRQConfig{Depth: n, MaxSGE: 1})
			t.code("NewSRQ", err, hca.Invalid)
		}
	}
	q := s.queue(8)
	for what, cfg := range map[string]setup{
		"SendDepth": {send: -1}, "RecvDepth": {recv: -1}, "SGE": {sge: -1}, "reads": {reads: -1},
	} {
		e := &end{side: s, pd: s.pd, sq: q, rq: q, ev: newEvents(t, s.name, nil)}
		_, err := s.ad.NewQP(e.config(cfg))
		t.code("NewQP with a negative "+what, err, hca.Invalid)
	}
}

func overLimits(t *env) {
	s := t.side("adapter", hca.Options{})
	over := func(n int) bool { return n > 0 && n < 1<<31-1 }
	if over(s.attr.MaxCQE) {
		_, err := s.ad.NewCQ(hca.CQConfig{Depth: s.attr.MaxCQE + 1})
		t.code("NewCQ over MaxCQE", err, hca.Invalid, hca.Resources)
	}
	q := s.queue(8)
	base := (&end{side: s, pd: s.pd, sq: q, rq: q, ev: newEvents(t, s.name, nil)}).config(setup{})
	try := func(what string, most int, set func(*hca.QPConfig, int)) {
		if !over(most) {
			t.Logf("%s is no limit that can be exceeded", what)
			return
		}
		cfg := base
		set(&cfg, most+1)
		_, err := s.ad.NewQP(cfg)
		t.code("NewQP over "+what, err, hca.Invalid, hca.Resources)
	}
	try("MaxSendWR", s.attr.MaxSendWR, func(c *hca.QPConfig, n int) { c.SendDepth = n })
	try("MaxRecvWR", s.attr.MaxRecvWR, func(c *hca.QPConfig, n int) { c.RecvDepth = n })
	try("MaxSGE for sends", s.attr.MaxSGE, func(c *hca.QPConfig, n int) { c.SendSGE = n })
	try("MaxSGE for receives", s.attr.MaxSGE, func(c *hca.QPConfig, n int) { c.RecvSGE = n })
	try("MaxReadsOut", s.attr.MaxReadsOut, func(c *hca.QPConfig, n int) { c.ReadsOut = n })
	try("MaxReadsIn", s.attr.MaxReadsIn, func(c *hca.QPConfig, n int) { c.ReadsIn = n })
	if s.can(hca.CapSRQ) && over(s.attr.MaxSRQWR) {
		_, err := s.pd.NewSRQ(hca.SRQConfig{Depth: s.attr.MaxSRQWR + 1, MaxSGE: 1})
		t.code("NewSRQ over MaxSRQWR", err, hca.Invalid, hca.Resources)
		_, err = s.pd.NewSRQ(hca.SRQConfig{Depth: 4, MaxSGE: s.attr.MaxSGE + 1})
		t.code("NewSRQ over MaxSGE", err, hca.Invalid, hca.Resources)
	}
	if pd, err := s.ad.NewPD(); err != nil {
		t.Errorf("NewPD after refusals: %v", err)
	} else if err := pd.Close(); err != nil {
		t.Errorf("PD.Close after refusals: %v", err)
	}
	t.must("CQ.Close: no refused queue pair uses it", q.cq.Close())
}

func objectLimits(t *env) {
	s := t.side("adapter", hca.Options{})
	if n := s.attr.MaxPD; n == 0 || n > 256 {
		t.Logf("MaxPD is %d: too many to reach", n)
		return
	}
	var all []hca.PD
	for len(all) <= s.attr.MaxPD {
		pd, err := s.ad.NewPD()
		if err != nil {
			t.code("NewPD", err, hca.Resources)
			break
		}
		all = append(all, pd)
	}
	if len(all) > s.attr.MaxPD-1 || len(all) == 0 { // the side has one already
		t.Fatalf("%d domains, with a limit of %d and one in use", len(all), s.attr.MaxPD)
	}
	t.must("PD.Close", all[0].Close())
	s.domain()
}

func tooManySegments(t *env) {
	c := t.pair(setup{sge: 2})
	n := 3
	if c.a.attr.MaxSGE < 2 {
		n = 2
	}
	segs := make([]hca.Segment, n)
	for i := range segs {
		segs[i] = c.a.mail.seg(i, 1)
	}
	t.code("send", c.a.qp.PostSend(send(segs...)), hca.Invalid)
	t.code("write", c.a.qp.PostSend(write(c.b.mail, 0, segs...)), hca.Invalid)
	t.code("receive", c.a.qp.PostRecv(hca.RecvWR{Local: segs[0], More: segs[1:]}), hca.Invalid)
	if m := c.a.readSGE(); m < 2 {
		t.code("read", c.a.qp.PostSend(read(c.b.mail, 0, segs[:m+1]...)), hca.Invalid)
	}
	c.a.idle("after refusals")
	c.expectAlive("after refusals")
}

func tooLong(t *env) {
	c := t.pair()
	long := make([]hca.Segment, c.a.sge)
	var sum uint64
	for i := range long {
		long[i] = hca.Segment{Addr: c.a.mail.at(0), Len: 1<<32 - 1, Key: c.a.mail.mr.LKey()}
		sum += 1<<32 - 1
	}
	if sum > c.a.attr.MaxMessage {
		t.code("send", c.a.qp.PostSend(send(long...)), hca.Length)
	} else {
		t.Logf("MaxMessage %d cannot be exceeded", c.a.attr.MaxMessage)
	}
	if sum > c.a.attr.MaxRDMA {
		t.code("write", c.a.qp.PostSend(write(c.b.mail, 0, long...)), hca.Length)
		t.code("read", c.a.qp.PostSend(read(c.b.mail, 0, long[:c.a.readSGE()]...)), hca.Length)
	} else {
		t.Logf("MaxRDMA %d cannot be exceeded", c.a.attr.MaxRDMA)
	}
	c.a.idle("after refusals")
	c.expectAlive("after refusals")
}
