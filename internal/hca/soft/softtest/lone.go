package softtest

import (
	"context"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft"
	"github.com/godapl/godapl/internal/iwarp"
)

// Lone is a queue pair of its own adapter. The test plays its peer.
type Lone struct {
	t      *testing.T
	A      hca.Adapter
	PD     hca.PD
	QP     hca.QP
	CQ     hca.CQ
	Array  []byte // byte(i) at first
	MR     hca.MR // its middle third
	Events chan hca.ConnEvent
}

func NewLone(t *testing.T, d hca.Driver, opt hca.Options, cfg hca.QPConfig) *Lone {
	t.Helper()
	l := &Lone{t: t, Events: make(chan hca.ConnEvent, 4)}
	ok := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	var err error
	l.A, err = d.Open(context.Background(), d.Names()[0], opt)
	ok(err)
	t.Cleanup(func() { ok(l.A.Close()) })
	l.PD, err = l.A.NewPD()
	ok(err)
	cfg.PD = l.PD
	l.CQ, err = l.A.NewCQ(hca.CQConfig{Depth: 64})
	ok(err)
	l.Array = make([]byte, 3*64)
	for i := range l.Array {
		l.Array[i] = PatternByte(i)
	}
	l.MR, err = cfg.PD.Register(hca.Memory{Bytes: l.Array[64:128]}, hca.AllAccess)
	ok(err)
	cfg.SendCQ, cfg.RecvCQ, cfg.SendDepth, cfg.RecvDepth = l.CQ, l.CQ, 16, 16
	cfg.Event = func(ev hca.ConnEvent) { l.Events <- ev }
	l.QP, err = l.A.NewQP(cfg)
	ok(err)
	return l
}

func PatternByte(i int) byte { return byte(i*31) ^ 0x5a }

func (l *Lone) Seg(n int) hca.Segment {
	return hca.Segment{Addr: l.MR.Addr(), Len: uint32(n), Key: l.MR.LKey()}
}

func (l *Lone) Poll(when string, want int) {
	l.t.Helper()
	var wc [16]hca.WC
	if n := l.CQ.Poll(wc[:]); n != want {
		l.t.Errorf("%s: %d entries, want %d", when, n, want)
	}
}

func (l *Lone) Receive() {
	l.t.Helper()
	if err := l.QP.PostRecv(hca.RecvWR{Local: l.Seg(8)}); err != nil {
		l.t.Fatal(err)
	}
}

// Ready checks whether there are entries once nothing moves any more. It does not poll, because a poll would
// fetch some.
func (l *Lone) Ready(when string, want bool) {
	l.t.Helper()
	synctest.Wait()
	if got := l.CQ.(hca.Peeker).Ready(); got != want {
		l.t.Errorf("%s: there are entries: %v, want %v", when, got, want)
	}
}

func (l *Lone) Arm() {
	l.t.Helper()
	if err := l.CQ.Arm(); err != nil {
		l.t.Fatal(err)
	}
}

// Joined returns a connection of this side, and the peer's end of its stream, of which nothing is read beyond
// the startup.
func Joined(t *testing.T, initiator bool, opt hca.Options) (*Lone, net.Conn) {
	t.Helper()
	return JoinedOver(t, NewPipes(), initiator, opt)
}

func JoinedOver(t *testing.T, p Pipes, initiator bool, opt hca.Options) (*Lone, net.Conn) {
	t.Helper()
	l := NewLone(t, soft.FabricDriver("pipes", p), opt, hca.QPConfig{ReadsOut: 4, ReadsIn: 4})
	plain := iwarp.Frame{Revision: iwarp.Revision1, CRC: true}
	result := make(chan error, 1)
	var c net.Conn
	if initiator {
		go func() { result <- l.QP.Connect(context.Background(), "anywhere:7", hca.ConnParams{}) }()
		c = <-p.Dialled
		ReadRequest(t, c)
		b, _ := iwarp.AppendReply(nil, &plain)
		_, _ = c.Write(b)
	} else {
		ln, err := l.A.Listen(context.Background(), hca.ListenConfig{Address: "anywhere:7", OnRequest: func(r hca.ConnRequest) bool {
			go func() { result <- r.Accept(context.Background(), l.QP, hca.ConnParams{}) }()
			return true
		}})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { ln.Close() })
		var ours net.Conn
		ours, c = net.Pipe()
		p.Accepted <- ours
		b, _ := iwarp.AppendRequest(nil, &plain)
		_, _ = c.Write(b)
		reply := make([]byte, iwarp.FrameHeaderSize)
		if n, err := c.Read(reply); n != len(reply) || err != nil {
			t.Fatalf("the reply has %d bytes, %v", n, err)
		}
		// A responder sends nothing before the initiator has.
		_, _ = c.Write(Nothing())
	}
	t.Cleanup(func() { c.Close() })
	if err := <-result; err != nil {
		t.Fatal(err)
	}
	<-l.Events // established
	synctest.Wait()
	return l, c
}

// Nothing is a frame without effect.
func Nothing() []byte {
	return iwarp.AppendTagged(nil, iwarp.TaggedHeader{Op: iwarp.OpWrite, Last: true}, nil, true)
}

// Broken waits until the connection breaks, and returns how long that took.
func (l *Lone) Broken(why string) time.Duration {
	l.t.Helper()
	begun := time.Now()
	select {
	case ev := <-l.Events:
		if ev.Kind != hca.EventBroken || !strings.Contains(ev.Err.Error(), why) {
			l.t.Errorf("the connection ended with %+v", ev)
		}
	case <-time.After(24 * time.Hour):
		l.t.Fatal("the connection is held for ever")
	}
	return time.Since(begun)
}

// Lives fails the test if the connection ends within d.
func (l *Lone) Lives(d time.Duration) {
	l.t.Helper()
	select {
	case ev := <-l.Events:
		l.t.Errorf("the connection ended: %+v", ev)
	case <-time.After(d):
	}
}

// Entries takes the completions, which must be of requests 1 to n, once each.
func (l *Lone) Entries(n int) {
	l.t.Helper()
	wcs := make([]hca.WC, n+1)
	seen := map[uint64]int{}
	for _, wc := range wcs[:l.CQ.Poll(wcs)] {
		seen[wc.ID]++
		if wc.Status != hca.StatusFlushed && wc.Status != hca.StatusOK {
			l.t.Errorf("%+v", wc)
		}
	}
	for id := range uint64(n) {
		if seen[id+1] != 1 || len(seen) != n {
			l.t.Fatalf("entries: %v, want each of %d once", seen, n)
		}
	}
}

// Jam posts more than a stream holds, as requests 2 to 5.
func (l *Lone) Jam(t *testing.T) {
	big, err := l.PD.Register(hca.Memory{Bytes: make([]byte, 1<<20)}, hca.AllAccess)
	if err != nil {
		t.Fatal(err)
	}
	for id := uint64(2); id <= 5; id++ {
		wr := hca.SendWR{ID: id, Op: hca.OpWrite, Local: hca.Segment{Addr: big.Addr(), Len: 1 << 20, Key: big.LKey()}, RKey: 7}
		if err := l.QP.PostSend(wr); err != nil {
			t.Fatal(err)
		}
	}
}
