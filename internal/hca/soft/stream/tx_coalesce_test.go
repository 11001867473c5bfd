package stream_test

import (
	"net"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft"
	"github.com/godapl/godapl/internal/hca/soft/softtest"
	"github.com/godapl/godapl/internal/iwarp"
)

// gathering is a queue pair whose sends a peer counts, in a synctest bubble.
type gathering struct {
	t     *testing.T
	qp    hca.QP
	cq    hca.CQ
	mr    hca.MR
	sends atomic.Int64 // sends that the peer has received
}

func newGathering(t *testing.T) *gathering {
	p := softtest.NewPipes()
	g := &gathering{t: t}
	ok := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	a, err := soft.FabricDriver("pipes", p).Open(t.Context(), "pipes", hca.Options{})
	ok(err)
	t.Cleanup(func() { ok(a.Close()) })
	pd, err := a.NewPD()
	ok(err)
	g.mr, err = pd.Register(hca.Memory{Bytes: make([]byte, 4096)}, hca.AllAccess)
	ok(err)
	g.cq, err = a.NewCQ(hca.CQConfig{Depth: 128})
	ok(err)
	g.qp, err = a.NewQP(hca.QPConfig{PD: pd, SendCQ: g.cq, RecvCQ: g.cq, SendDepth: 128})
	ok(err)
	go func() {
		c := <-p.Dialled
		softtest.ReadRequest(t, c)
		b, _ := iwarp.AppendReply(nil, &softtest.Theirs)
		_, _ = c.Write(b)
		g.count(c)
	}()
	ok(g.qp.Connect(t.Context(), "anywhere:7", hca.ConnParams{}))
	return g
}

// count parses the stream.
func (g *gathering) count(c net.Conn) {
	var b []byte
	buf := make([]byte, 4096)
	for {
		n, err := c.Read(buf)
		if err != nil {
			return
		}
		b = append(b, buf[:n]...)
		for {
			ulpdu, used, _, err := iwarp.ParseFPDU(b, true)
			if used == 0 || err != nil {
				break
			}
			var s iwarp.Segment
			if iwarp.ParseSegment(ulpdu, &s) == nil && s.Op == iwarp.OpSend {
				g.sends.Add(1)
			}
			b = b[used:]
		}
	}
}

// post sends n small messages, each when the stream has accepted the one before: a message that finds the
// stream busy is written behind that one.
func (g *gathering) post(n int) {
	g.t.Helper()
	for range n {
		g.send(8)
		synctest.Wait()
	}
}

func (g *gathering) send(size uint32) {
	g.t.Helper()
	local := hca.Segment{Addr: g.mr.Addr(), Len: size, Key: g.mr.LKey()}
	if err := g.qp.PostSend(hca.SendWR{Op: hca.OpSend, Local: local}); err != nil {
		g.t.Fatal(err)
	}
}

// come checks how many sends the peer has once nothing moves any more.
func (g *gathering) come(when string, want int64) {
	g.t.Helper()
	synctest.Wait()
	if got := g.sends.Load(); got != want {
		g.t.Errorf("%s: %d sends have come, want %d", when, got, want)
	}
}

// take takes the entries that are there.
func (g *gathering) take(want int) {
	g.t.Helper()
	var wc [16]hca.WC
	if n := g.cq.Poll(wc[:]); n != want {
		g.t.Errorf("%d entries, want %d", n, want)
	}
}

func TestPostsGather(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGathering(t)
		g.post(3)
		g.come("nobody has polled yet", 3)
		g.take(3)
		g.post(1)
		g.come("the first after a look", 4)
		g.post(5)
		g.come("those behind it", 4)
		g.take(1)
		g.come("the entry of the first is taken", 4)
		g.take(5) // the queue was empty
		g.come("somebody looks for more", 9)
		g.post(5)
		g.come("the first again", 10)
		if err := g.cq.Arm(); err != nil {
			t.Fatal(err)
		}
		g.come("the queue is armed", 14)
		g.take(5)
		if err := g.cq.Arm(); err != nil {
			t.Fatal(err)
		}
		g.post(1)
		g.come("behind the arming", 15)
	})
}

// TestGatheringIsBounded: requests do not wait for a consumer that does something else, and after that none
// waits for a while. Neither do many requests, or large ones.
func TestGatheringIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGathering(t)
		g.take(0)
		g.post(4)
		g.come("the first", 1)
		<-time.After(2500 * time.Microsecond) // of the bubble: two rounds of the watch
		g.come("after two rounds", 4)
		g.take(4)
		g.post(5)
		g.come("it has learnt", 9)
	})
	synctest.Test(t, func(t *testing.T) {
		g := newGathering(t)
		g.take(0)
		g.post(3)
		g.come("the first", 1)
		g.send(4096)
		g.come("a large one", 4)
		g.post(63)
		g.come("many, but not enough", 4)
		g.post(1)
		g.come("many", 68)
	})
}

// TestEndsWithGathered: a graceful end sends the waiting requests; any other end flushes them.
func TestEndsWithGathered(t *testing.T) {
	for _, graceful := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			g := newGathering(t)
			g.take(0)
			g.post(4)
			g.come("the first", 1)
			if graceful {
				if err := g.qp.Disconnect(true); err != nil {
					t.Fatal(err)
				}
				g.come("a graceful end", 4)
			} else if err := g.qp.Disconnect(false); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
			var wc [16]hca.WC
			n := g.cq.Poll(wc[:])
			if n != 4 {
				t.Errorf("%d entries, want 4", n)
			}
			for i := range n {
				if flushed := wc[i].Status == hca.StatusFlushed; flushed != (!graceful && i > 0) {
					t.Errorf("graceful %v: entry %d is %v", graceful, i, wc[i].Status)
				}
			}
			if g.post(3); g.cq.Poll(wc[:]) != 3 { // flushed as they are posted
				t.Errorf("graceful %v: posts behind the end wait", graceful)
			}
		})
	}
}
