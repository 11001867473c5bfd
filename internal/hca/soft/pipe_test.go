package soft_test

import (
	"context"
	"net"
	"testing"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/iwarp"
)

// pipes is a fabric of streams without sockets, which run in a synctest bubble.
// Its other ends come out of dialled, or go into accepted.
type pipes struct {
	dialled, accepted chan net.Conn
	ours              func(net.Conn) net.Conn // if not nil, what is made of an end that was dialled
}

func newPipes() pipes { return pipes{make(chan net.Conn, 1), make(chan net.Conn, 1), nil} }

func (p pipes) Dial(context.Context, string) (net.Conn, error) {
	ours, theirs := net.Pipe()
	p.dialled <- theirs
	if p.ours != nil {
		ours = p.ours(ours)
	}
	return ours, nil
}

func (p pipes) Listen(context.Context, string) (net.Listener, error) {
	return &pipeListener{p.accepted, make(chan struct{})}, nil
}

type pipeListener struct {
	accepted chan net.Conn
	closed   chan struct{}
}

func (l *pipeListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.accepted:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *pipeListener) Close() error   { close(l.closed); return nil }
func (l *pipeListener) Addr() net.Addr { return &net.UnixAddr{Name: "anywhere:7"} }

// lone is a queue pair of its own adapter, whose peer the test plays.
type lone struct {
	t      *testing.T
	a      hca.Adapter
	pd     hca.PD
	qp     hca.QP
	cq     hca.CQ
	array  []byte // octet(i), at first
	mr     hca.MR // the middle third of it
	events chan hca.ConnEvent
}

func newLone(t *testing.T, d hca.Driver, opt hca.Options, cfg hca.QPConfig) *lone {
	t.Helper()
	l := &lone{t: t, events: make(chan hca.ConnEvent, 4)}
	ok := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	var err error
	l.a, err = d.Open(context.Background(), d.Names()[0], opt)
	ok(err)
	t.Cleanup(func() { ok(l.a.Close()) })
	l.pd, err = l.a.NewPD()
	ok(err)
	cfg.PD = l.pd
	l.cq, err = l.a.NewCQ(hca.CQConfig{Depth: 64})
	ok(err)
	l.array = make([]byte, 3*64)
	for i := range l.array {
		l.array[i] = octet(i)
	}
	l.mr, err = cfg.PD.Register(hca.Memory{Bytes: l.array[64:128]}, hca.AllAccess)
	ok(err)
	cfg.SendCQ, cfg.RecvCQ, cfg.SendDepth, cfg.RecvDepth = l.cq, l.cq, 16, 16
	cfg.Event = func(ev hca.ConnEvent) { l.events <- ev }
	l.qp, err = l.a.NewQP(cfg)
	ok(err)
	return l
}

func octet(i int) byte { return byte(i*31) ^ 0x5a }

func (l *lone) seg(n int) hca.Segment {
	return hca.Segment{Addr: l.mr.Addr(), Len: uint32(n), Key: l.mr.LKey()}
}

// drainPipe takes what comes, and drops it.
func drainPipe(c net.Conn) {
	var b [4096]byte
	for {
		if _, err := c.Read(b[:]); err != nil {
			return
		}
	}
}

// readRequest takes the request that our side sends.
func readRequest(t *testing.T, c net.Conn) {
	t.Helper()
	b := make([]byte, iwarp.MaxFrameLen)
	n, err := c.Read(b)
	var f iwarp.Frame
	if used, _, perr := iwarp.ParseRequest(b[:n], &f); err != nil || used == 0 {
		t.Fatalf("the request: %v, %v", err, perr)
	}
}

var theirs = iwarp.Frame{
	Revision: iwarp.Revision2, CRC: true, Enhanced: true, PeerToPeer: true, RTR: iwarp.RTRWrite, IRD: 4, ORD: 4,
}
