package stream_test

import (
	"cmp"
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
	t        *testing.T
	a        hca.Adapter
	pd       hca.PD
	pipes    softtest.Pipes
	qp       hca.QP
	cq       hca.CQ // of its sends
	rcq      hca.CQ
	mr       hca.MR
	sends    atomic.Int64 // sends that the peer has received
	more     atomic.Bool  // the program has completions before it
	batch    atomic.Bool  // the program is at work on a batch
	forwards atomic.Bool  // a goroutine takes what the queue holds
}

// gatherSetup says how a gathering is made.
type gatherSetup struct {
	depth int  // of the send queue; 0: 128
	crowd bool // the completion queues serve many connections
	apart bool // receives complete in a queue of their own
	waits bool // the program has waited for the queue of receives before
	other bool // that queue has the backlog
}

func newGathering(t *testing.T, cfg gatherSetup) *gathering {
	g := &gathering{t: t, pipes: softtest.NewPipes()}
	var err error
	g.a, err = soft.FabricDriver("pipes", g.pipes).Open(t.Context(), "pipes", hca.Options{})
	g.ok(err)
	t.Cleanup(func() { g.ok(g.a.Close()) })
	g.pd, err = g.a.NewPD()
	g.ok(err)
	g.mr, err = g.pd.Register(hca.Memory{Bytes: make([]byte, 4096)}, hca.AllAccess)
	g.ok(err)
	backlogOf := func(other bool) func(together bool) hca.Backlog {
		return func(together bool) hca.Backlog {
			switch {
			case cfg.other != other:
			case g.more.Load() || together && g.batch.Load():
				return hca.BacklogSome
			case g.forwards.Load():
				return hca.BacklogDue
			}
			return hca.BacklogNone
		}
	}
	g.cq, err = g.a.NewCQ(hca.CQConfig{Depth: 1024, Backlog: backlogOf(false)})
	g.ok(err)
	if g.rcq = g.cq; cfg.apart {
		g.rcq, err = g.a.NewCQ(hca.CQConfig{Depth: 1024, Backlog: backlogOf(true)})
		g.ok(err)
	}
	if cfg.crowd {
		for range 7 {
			g.connect(1)
		}
	}
	g.qp = g.connect(cmp.Or(cfg.depth, 128))
	if cfg.waits {
		g.ok(g.rcq.Arm())
		g.rcq.Poll(make([]hca.WC, 1))
		g.rcq.Poll(make([]hca.WC, 1))
	}
	return g
}

func (g *gathering) ok(err error) {
	g.t.Helper()
	if err != nil {
		g.t.Fatal(err)
	}
}

// connect makes a queue pair with a peer.
func (g *gathering) connect(depth int) hca.QP {
	g.t.Helper()
	q, err := g.a.NewQP(hca.QPConfig{PD: g.pd, SendCQ: g.cq, RecvCQ: g.rcq, SendDepth: depth})
	g.ok(err)
	go func() {
		c := <-g.pipes.Dialled
		softtest.ReadRequest(g.t, c)
		b, _ := iwarp.AppendReply(nil, &softtest.Theirs)
		_, _ = c.Write(b)
		g.count(c)
	}()
	g.ok(q.Connect(g.t.Context(), "anywhere:7", hca.ConnParams{}))
	return q
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
	g.sendWith(g.qp, size, 0)
}

func (g *gathering) sendWith(qp hca.QP, size uint32, flags hca.Flags) {
	g.t.Helper()
	local := hca.Segment{Addr: g.mr.Addr(), Len: size, Key: g.mr.LKey()}
	g.ok(qp.PostSend(hca.SendWR{Op: hca.OpSend, Flags: flags, Local: local}))
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
		g := newGathering(t, gatherSetup{})
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
	for _, cfg := range []gatherSetup{{}, {crowd: true}, {crowd: true, apart: true}} {
		synctest.Test(t, func(t *testing.T) {
			g := newGathering(t, cfg)
			g.take(0)
			g.post(4)
			g.come("the first", 1)
			<-time.After(1500 * time.Microsecond) // of the bubble: one round of the watch
			g.come("after one round", 1)
			<-time.After(time.Millisecond)
			g.come("after two rounds", 4)
			g.take(4)
			g.post(9) // the first after a look, and eight
			g.come("it has learnt", 13)
			g.take(9)
			g.post(3)
			g.come("but not for long", 14)
			<-time.After(2500 * time.Microsecond)
			g.come("after two more rounds", 16)
			g.take(3)
			g.post(17)
			g.come("it has learnt for longer", 33)
			g.take(16)
			g.take(1)
			g.post(2)
			g.come("and not for ever", 34)
		})
		synctest.Test(t, func(t *testing.T) { gatherAtMost(t, cfg) })
	}
}

func gatherAtMost(t *testing.T, cfg gatherSetup) {
	g := newGathering(t, cfg)
	g.take(0)
	g.post(3)
	g.come("the first", 1)
	g.send(4096)
	g.come("a large one", 4)
	g.post(63)
	g.come("many, but not enough", 4)
	g.post(1)
	g.come("many", 68)
}

// TestEndsWithGathered: a graceful end sends the waiting requests; any other end flushes them.
func TestEndsWithGathered(t *testing.T) {
	for i := range 4 {
		graceful, crowd := i%2 == 0, i >= 2
		synctest.Test(t, func(t *testing.T) {
			g := newGathering(t, gatherSetup{crowd: crowd})
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

// TestAFullQueueSendsWhatGathers: a request that waits for others holds a slot of its queue. A post that finds
// no slot writes what waits, and is accepted.
func TestAFullQueueSendsWhatGathers(t *testing.T) {
	for _, batch := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			g := newGathering(t, gatherSetup{depth: 2})
			g.take(0)
			g.post(3)
			g.come("the first", 1)
			if batch {
				local := hca.Segment{Addr: g.mr.Addr(), Len: 8, Key: g.mr.LKey()}
				if n, err := g.qp.PostSends([]hca.SendWR{{Op: hca.OpSend, Local: local}}); n != 1 {
					t.Fatal(n, err)
				}
				g.come("a batch", 4)
				return
			}
			g.post(1)
			g.come("a full queue", 3)
			g.post(1)
			g.come("a queue that is full no more", 3)
			g.post(1)
			g.come("a full queue again", 5)
		})
	}
}

// TestPostsGatherInACrowd: with many connections on a queue, each look sends what waits, of all of them.
func TestPostsGatherInACrowd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGathering(t, gatherSetup{crowd: true})
		g.post(3)
		g.come("nobody has polled yet", 3)
		g.take(3)
		g.post(1)
		g.come("the first after a look", 4)
		g.post(5)
		g.come("those behind it", 4)
		g.take(6) // the entry of the first was there before
		g.come("the next look", 9)
		g.post(5)
		g.come("the first again", 10)
		g.ok(g.cq.Arm())
		g.come("the queue is armed", 14)
		g.take(5)
		g.ok(g.cq.Arm())
		g.post(1)
		g.come("behind the arming", 15)
	})
}

// TestEitherQueueSendsWhatGathers: a consumer may look at one of the two queues alone, and what one queue has
// sent waits at the other no more.
func TestEitherQueueSendsWhatGathers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGathering(t, gatherSetup{crowd: true, apart: true})
		g.take(0)
		sent := int64(0)
		for range 10 {
			g.post(3)
			g.come("the first", sent+1)
			g.rcq.Poll(make([]hca.WC, 1))
			g.come("a look at the receives", sent+3)
			sent += 3
		}
		g.take(16)
		g.take(14)
		g.post(3)
		g.come("the first", sent+1)
		g.take(3)
		g.come("a look at the sends", sent+3)
		g.rcq.Poll(make([]hca.WC, 1))
		g.post(2)
		g.come("the first again", sent+4)
		g.ok(g.qp.Close())
		g.rcq.Poll(make([]hca.WC, 1)) // nobody is there any more
	})
}
