package hcatest

import (
	"github.com/godapl/godapl/internal/hca"
)

var attributeCases = []Case{
	{"attributes", "are stated and never change", statedAttributes},
	{"attributes", "what a connection can do the adapter can do", connectionCaps},
	{"attributes", "what is no capability is refused and harms nothing", refusedCaps},
	{"attributes", "what is no operation is refused and harms nothing", refusedOps},
}

const allCaps = hca.CapAtomics | hca.CapWriteImm | hca.CapSendImm | hca.CapSendInvalidate | hca.CapZoneWindows |
	hca.CapEndpointWindows | hca.CapSRQ | hca.CapSRQLimit | hca.CapResizeCQ | hca.CapReadNeedsWrite | hca.CapSolicited | hca.CapSolicitedTold |
	hca.CapReceiveWait | hca.CapRefuse

func statedAttributes(t *env) {
	s := t.side("adapter", hca.Options{})
	a := *s.attr
	if a.Name == "" || a.Address == "" {
		t.Errorf("name %q, address %q: want both", a.Name, a.Address)
	}
	if a.Caps&^allCaps != 0 {
		t.Errorf("unknown capabilities %#x", a.Caps&^allCaps)
	}
	if wait := a.Caps&hca.CapReceiveWait != 0; wait == t.h.NoReceiveWait {
		t.Errorf("CapReceiveWait is %v, the suite is told NoReceiveWait is %v", wait, t.h.NoReceiveWait)
	}
	if a.Caps&hca.CapSRQLimit != 0 && a.Caps&hca.CapSRQ == 0 {
		t.Errorf("a limit on shared receive queues, but no such queues")
	}
	for name, n := range map[string]int{
		"MaxQP": a.MaxQP, "MaxCQ": a.MaxCQ, "MaxPD": a.MaxPD, "MaxMR": a.MaxMR, "MaxMW": a.MaxMW,
		"MaxSRQ": a.MaxSRQ, "MaxSRQWR": a.MaxSRQWR,
	} {
		if n < 0 {
			t.Errorf("%s is %d", name, n)
		}
	}
	for name, n := range map[string]int{
		"MaxSendWR": a.MaxSendWR, "MaxRecvWR": a.MaxRecvWR, "MaxCQE": a.MaxCQE, "MaxSGE": a.MaxSGE,
		"MaxReadSGE": a.MaxReadSGE, "MaxReadsIn": a.MaxReadsIn, "MaxReadsOut": a.MaxReadsOut,
		"Alignment": a.Alignment,
	} {
		if n < 1 {
			t.Errorf("%s is %d, want at least 1", name, n)
		}
	}
	if a.MaxPrivateData < 52 { // the rest that an RDMA connection manager leaves of a request
		t.Errorf("MaxPrivateData is %d, want at least 52", a.MaxPrivateData)
	}
	if a.MaxMessage < 1<<20 || a.MaxRDMA < 1<<20 {
		t.Errorf("MaxMessage %d, MaxRDMA %d: want at least 1 MiB", a.MaxMessage, a.MaxRDMA)
	}
	s.region(4096, hca.LocalRead)
	if again := *s.ad.Attr(); again != a {
		t.Errorf("attributes changed from %+v to %+v", a, again)
	}
}

func connectionCaps(t *env) {
	c := t.pair()
	for _, e := range c.ends() {
		if more := e.info.Caps &^ e.attr.Caps; more != 0 {
			t.Errorf("%s: the connection can do %#x, which the adapter cannot", e.name, more)
		}
	}
	if c.a.info.Acked != c.b.info.Acked {
		t.Errorf("only one side says that the connection is acknowledged")
	}
}

func refusedCaps(t *env) {
	c := t.pair()
	dst := c.b.region(8, c.b.all())
	local := c.a.region(8, hca.LocalRead|c.a.sink())
	for caps, wr := range map[hca.Caps]hca.SendWR{
		hca.CapAtomics:        remote(hca.OpFetchAdd, dst, 0, local.seg(0, 8)),
		hca.CapWriteImm:       remote(hca.OpWriteImm, dst, 0, local.seg(0, 8)),
		hca.CapSendImm:        request(hca.OpSendImm, local.seg(0, 8)),
		hca.CapSendInvalidate: remote(hca.OpSendInvalidate, dst, 0, local.seg(0, 8)),
	} {
		c.lacks(caps, wr)
	}
	for caps, kind := range map[hca.Caps]hca.WindowKind{
		hca.CapZoneWindows: hca.ZoneWindow, hca.CapEndpointWindows: hca.EndpointWindow,
	} {
		if !c.a.can(caps) {
			_, err := c.a.pd.NewWindow(kind)
			t.code("NewWindow", err, hca.Unsupported)
		}
	}
	_, err := c.a.pd.NewWindow(77)
	t.code("NewWindow of no kind", err, hca.Invalid, hca.Unsupported)
	if !c.a.can(hca.CapSRQ) {
		_, err := c.a.pd.NewSRQ(hca.SRQConfig{Depth: 4, MaxSGE: 1})
		t.code("NewSRQ", err, hca.Unsupported)
	} else if !c.a.can(hca.CapSRQLimit) {
		srq, err := c.a.pd.NewSRQ(hca.SRQConfig{Depth: 4, MaxSGE: 1})
		t.must("NewSRQ", err)
		t.code("SRQ.Arm", srq.Arm(1), hca.Unsupported)
	}
	if !c.a.can(hca.CapResizeCQ) {
		t.code("CQ.Resize", c.a.sq.cq.Resize(300), hca.Unsupported)
	}
	c.expectAlive("after refusals")
}

func refusedOps(t *env) {
	c := t.pair()
	for _, op := range []hca.Op{hca.OpNone, hca.OpRecv, hca.OpRecvImm, 200} {
		err := c.a.qp.PostSend(request(op, c.a.mail.seg(0, 8)))
		t.code(op.String(), err, hca.Invalid, hca.Unsupported)
	}
	t.code("bind of nothing", c.a.qp.PostSend(hca.SendWR{Op: hca.OpBind}), hca.Invalid, hca.Unsupported)
	c.a.idle("after refusals")
	c.expectAlive("after refusals")
}
