package soft_test

import (
	"context"
	"net"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft"
	"github.com/godapl/godapl/internal/iwarp"
)

// joined is a connection of ours, and the peer's end of its stream, on which
// nothing has been read beyond the start-up.
func joined(t *testing.T, initiator bool, opt hca.Options) (*lone, net.Conn) {
	t.Helper()
	return joinedOver(t, newPipes(), initiator, opt)
}

func joinedOver(t *testing.T, p pipes, initiator bool, opt hca.Options) (*lone, net.Conn) {
	t.Helper()
	l := newLone(t, soft.FabricDriver("pipes", p), opt, hca.QPConfig{ReadsOut: 4, ReadsIn: 4})
	plain := iwarp.Frame{Revision: iwarp.Revision1, CRC: true}
	result := make(chan error, 1)
	var c net.Conn
	if initiator {
		go func() { result <- l.qp.Connect(context.Background(), "anywhere:7", hca.ConnParams{}) }()
		c = <-p.dialled
		readRequest(t, c)
		b, _ := iwarp.AppendReply(nil, &plain)
		_, _ = c.Write(b)
	} else {
		ln, err := l.a.Listen(context.Background(), hca.ListenConfig{Address: "anywhere:7", OnRequest: func(r hca.ConnRequest) bool {
			go func() { result <- r.Accept(context.Background(), l.qp, hca.ConnParams{}) }()
			return true
		}})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { ln.Close() })
		var ours net.Conn
		ours, c = net.Pipe()
		p.accepted <- ours
		b, _ := iwarp.AppendRequest(nil, &plain)
		_, _ = c.Write(b)
		reply := make([]byte, iwarp.FrameHeaderSize)
		if n, err := c.Read(reply); n != len(reply) || err != nil {
			t.Fatalf("the reply has %d octets, %v", n, err)
		}
		// A responder says nothing before the initiator has.
		_, _ = c.Write(nothing())
	}
	t.Cleanup(func() { c.Close() })
	if err := <-result; err != nil {
		t.Fatal(err)
	}
	<-l.events // established
	synctest.Wait()
	return l, c
}

// nothing is a frame that asks for nothing.
func nothing() []byte {
	return iwarp.AppendTagged(nil, iwarp.TaggedHeader{Op: iwarp.OpWrite, Last: true}, nil, true)
}

// broken waits for the connection to break and tells how long that took.
func (l *lone) broken(why string) time.Duration {
	l.t.Helper()
	begun := time.Now()
	select {
	case ev := <-l.events:
		if ev.Kind != hca.EventBroken || !strings.Contains(ev.Err.Error(), why) {
			l.t.Errorf("the connection ended with %+v", ev)
		}
	case <-time.After(24 * time.Hour):
		l.t.Fatal("the connection is held for ever")
	}
	return time.Since(begun)
}

// lives fails if the connection ends within d.
func (l *lone) lives(d time.Duration) {
	l.t.Helper()
	select {
	case ev := <-l.events:
		l.t.Errorf("the connection ended: %+v", ev)
	case <-time.After(d):
	}
}

// entries takes what completed, which must be requests 1 to n, once each.
func (l *lone) entries(n int) {
	l.t.Helper()
	wcs := make([]hca.WC, n+1)
	seen := map[uint64]int{}
	for _, wc := range wcs[:l.cq.Poll(wcs)] {
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

func bothSides(t *testing.T, test func(t *testing.T, initiator bool)) {
	for _, initiator := range []bool{true, false} {
		t.Run(map[bool]string{true: "initiator", false: "responder"}[initiator], func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { test(t, initiator) })
		})
	}
}

// drip sends an octet a second until the stream is gone.
func drip(c net.Conn, b []byte) {
	for i := range b {
		<-time.After(time.Second)
		if _, err := c.Write(b[i : i+1]); err != nil {
			return
		}
	}
}

// A frame that is begun has to be finished: the time runs from its beginning,
// however many octets follow.
func TestFrameThatIsNotFinished(t *testing.T) {
	long := iwarp.AppendUntagged(nil, iwarp.UntaggedHeader{Op: iwarp.OpSend, Last: true, MSN: 1}, make([]byte, 60_000), true)
	for name, send := range map[string]func(c net.Conn){
		"an octet":                   func(c net.Conn) { _, _ = c.Write(long[:1]) },
		"a header":                   func(c net.Conn) { _, _ = c.Write(long[:20]) },
		"nearly all":                 func(c net.Conn) { _, _ = c.Write(long[:len(long)-1]) },
		"an octet a second":          func(c net.Conn) { drip(c, long) },
		"one, and an octet a second": func(c net.Conn) { _, _ = c.Write(nothing()); drip(c, long) },
		"slow ones, and half of one": func(c net.Conn) { drip(c, nothing()); drip(c, nothing()); _, _ = c.Write(long[:300]) },
		"one by one, and half of a one": func(c net.Conn) {
			drip(c, nothing()[:12])
			_, _ = c.Write(nothing()[12:])
			_, _ = c.Write(long[:30_000])
		},
	} {
		t.Run(name, func(t *testing.T) {
			bothSides(t, func(t *testing.T, initiator bool) {
				l, c := joined(t, initiator, hca.Options{})
				_ = l.qp.PostRecv(hca.RecvWR{ID: 1, Local: l.seg(64)})
				_ = l.qp.PostSend(hca.SendWR{ID: 2, Op: hca.OpRead, Local: l.seg(8)})
				go drainPipe(c)
				var sender sync.WaitGroup
				defer sender.Wait()
				sender.Go(func() { send(c) })
				if d := l.broken("not finished"); d < time.Minute || d > 2*time.Minute {
					t.Errorf("it was broken after %v", d)
				}
				l.entries(2)
			})
		})
	}
}

// Slow is not dead: frames of an octet a second are good, and so is a peer that
// thinks between them.
func TestSlowFrames(t *testing.T) {
	bothSides(t, func(t *testing.T, initiator bool) {
		l, c := joined(t, initiator, hca.Options{})
		go drainPipe(c)
		for msn := range iwarp.MSN(10) {
			_ = l.qp.PostRecv(hca.RecvWR{ID: 1, Local: l.seg(64)})
			drip(c, iwarp.AppendUntagged(nil, iwarp.UntaggedHeader{Op: iwarp.OpSend, Last: true, MSN: msn + 1}, []byte("hello"), true))
			synctest.Wait()
			l.entries(1)
			l.lives(time.Hour)
		}
	})
}

// Of what a peer has sent, little more than that is held.
func TestUnfinishedFramesHoldLittle(t *testing.T) {
	long := iwarp.AppendUntagged(nil, iwarp.UntaggedHeader{Op: iwarp.OpSend, Last: true, MSN: 1}, make([]byte, 60_000), true)
	for _, n := range []int{0, 1, 2000, 2049, 30_000, len(long) - 1} {
		bothSides(t, func(t *testing.T, initiator bool) {
			l, c := joined(t, initiator, hca.Options{})
			_ = l.qp.PostRecv(hca.RecvWR{ID: 1, Local: l.seg(64)})
			go drainPipe(c)
			_, _ = c.Write(long[:n])
			<-time.After(2 * time.Second)
			for i := n; i < min(n+5, len(long)-1); i++ { // each octet must not bring the large buffer back
				_, _ = c.Write(long[i : i+1])
				synctest.Wait()
				if held, limit := soft.ReceiveMemory(l.qp), n+n/2+4096; held > limit {
					t.Errorf("%d octets hold %d, want %d at most", i+1, held, limit)
				}
			}
			l.lives(50 * time.Second)
		})
	}
}

// A peer that reads nothing is given a minute; if the program has messages wait
// longer than that for a receive, it may expect as much of its peers.
func TestPeerThatTakesNothing(t *testing.T) {
	for name, c := range map[string]struct{ wait, from, to time.Duration }{
		"": {0, time.Minute, 2 * time.Minute}, ", long wait": {time.Hour, time.Hour, 2 * time.Hour},
	} {
		t.Run("writes"+name, func(t *testing.T) {
			bothSides(t, func(t *testing.T, initiator bool) {
				l, _ := joined(t, initiator, hca.Options{ReceiveWait: c.wait})
				_ = l.qp.PostRecv(hca.RecvWR{ID: 1, Local: l.seg(64)})
				l.jam(t)
				if d := l.broken("not read"); d < c.from || d > c.to {
					t.Errorf("it was broken after %v", d)
				}
				l.entries(5)
			})
		})
		t.Run("graceful"+name, func(t *testing.T) {
			bothSides(t, func(t *testing.T, initiator bool) {
				l, _ := joined(t, initiator, hca.Options{ReceiveWait: c.wait})
				_ = l.qp.PostRecv(hca.RecvWR{ID: 1, Local: l.seg(64)})
				l.jam(t)
				if err := l.qp.Disconnect(true); err != nil {
					t.Fatal(err)
				}
				if d := l.broken("not read"); d < c.from || d > c.to {
					t.Errorf("it was broken after %v", d)
				}
				l.entries(5)
			})
		})
	}
}

// jam posts more than a stream holds, as requests 2 to 5.
func (l *lone) jam(t *testing.T) {
	big, err := l.pd.Register(hca.Memory{Bytes: make([]byte, 1<<20)}, hca.AllAccess)
	if err != nil {
		t.Fatal(err)
	}
	for id := uint64(2); id <= 5; id++ {
		wr := hca.SendWR{ID: id, Op: hca.OpWrite, Local: hca.Segment{Addr: big.Addr(), Len: 1 << 20, Key: big.LKey()}, RKey: 7}
		if err := l.qp.PostSend(wr); err != nil {
			t.Fatal(err)
		}
	}
}

// The same for what a peer reads of us and does not take.
func TestPeerThatTakesNoAnswer(t *testing.T) {
	bothSides(t, func(t *testing.T, initiator bool) {
		l, c := joined(t, initiator, hca.Options{})
		big, err := l.pd.Register(hca.Memory{Bytes: make([]byte, 1<<20)}, hca.AllAccess)
		if err != nil {
			t.Fatal(err)
		}
		_ = l.qp.PostRecv(hca.RecvWR{ID: 1, Local: l.seg(64)})
		_, _ = c.Write(iwarp.AppendReadRequest(nil, 1, iwarp.ReadRequest{
			Size: 1 << 20, SourceSTag: iwarp.STag(big.RKey()), SourceTO: iwarp.TO(big.Addr()),
		}, true))
		if d := l.broken("not read"); d < time.Minute || d > 2*time.Minute {
			t.Errorf("it was broken after %v", d)
		}
		l.entries(1)
	})
}

// One that reads slowly makes progress.
func TestPeerThatTakesLittle(t *testing.T) {
	bothSides(t, func(t *testing.T, initiator bool) {
		l, c := joined(t, initiator, hca.Options{})
		l.jam(t)
		over := make(chan struct{})
		go func() {
			defer close(over)
			b := make([]byte, 1<<19)
			for range 12 {
				<-time.After(50 * time.Second)
				if _, err := c.Read(b); err != nil {
					t.Errorf("reading: %v", err)
					return
				}
			}
		}()
		<-over
		l.lives(0)
		_ = l.qp.Disconnect(false)
	})
}

// A frame behind a message that waits for a receive waits for us, not for the
// peer.
func TestWaitingIsNotThePeersFault(t *testing.T) {
	bothSides(t, func(t *testing.T, initiator bool) {
		l, c := joined(t, initiator, hca.Options{ReceiveWait: time.Hour})
		go drainPipe(c)
		hello := func(msn iwarp.MSN) []byte {
			return iwarp.AppendUntagged(nil, iwarp.UntaggedHeader{Op: iwarp.OpSend, Last: true, MSN: msn}, []byte("hello"), true)
		}
		_, _ = c.Write(hello(1)[:10]) // so that the clock runs
		<-time.After(time.Second)
		_, _ = c.Write(append(hello(1)[10:], hello(2)[:10]...))
		l.lives(30 * time.Minute)
		_ = l.qp.PostRecv(hca.RecvWR{ID: 1, Local: l.seg(64)})
		l.lives(30 * time.Second)
		_ = l.qp.PostRecv(hca.RecvWR{ID: 2, Local: l.seg(64)})
		_, _ = c.Write(hello(2)[10:])
		l.lives(time.Hour)
		l.entries(2)
	})
}
