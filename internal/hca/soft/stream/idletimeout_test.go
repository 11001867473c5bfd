package stream_test

import (
	"net"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/softtest"
	"github.com/godapl/godapl/internal/hca/soft/stream"
	"github.com/godapl/godapl/internal/iwarp"
)

func bothSides(t *testing.T, test func(t *testing.T, initiator bool)) {
	for _, initiator := range []bool{true, false} {
		t.Run(map[bool]string{true: "initiator", false: "responder"}[initiator], func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { test(t, initiator) })
		})
	}
}

// drip sends a byte each second until the stream is closed.
func drip(c net.Conn, b []byte) {
	for i := range b {
		<-time.After(time.Second)
		if _, err := c.Write(b[i : i+1]); err != nil {
			return
		}
	}
}

// A frame that is begun must be completed in time: the time runs from its beginning, however many bytes follow.
func TestFrameThatIsNotFinished(t *testing.T) {
	long := iwarp.AppendUntagged(nil, iwarp.UntaggedHeader{Op: iwarp.OpSend, Last: true, MSN: 1}, make([]byte, 60_000), true)
	for name, send := range map[string]func(c net.Conn){
		"a byte":                     func(c net.Conn) { _, _ = c.Write(long[:1]) },
		"a header":                   func(c net.Conn) { _, _ = c.Write(long[:20]) },
		"nearly all":                 func(c net.Conn) { _, _ = c.Write(long[:len(long)-1]) },
		"a byte a second":            func(c net.Conn) { drip(c, long) },
		"one, and a byte a second":   func(c net.Conn) { _, _ = c.Write(softtest.Nothing()); drip(c, long) },
		"slow ones, and half of one": func(c net.Conn) { drip(c, softtest.Nothing()); drip(c, softtest.Nothing()); _, _ = c.Write(long[:300]) },
		"one by one, and half of a one": func(c net.Conn) {
			drip(c, softtest.Nothing()[:12])
			_, _ = c.Write(softtest.Nothing()[12:])
			_, _ = c.Write(long[:30_000])
		},
	} {
		t.Run(name, func(t *testing.T) {
			bothSides(t, func(t *testing.T, initiator bool) {
				l, c := softtest.Joined(t, initiator, hca.Options{})
				_ = l.QP.PostRecv(hca.RecvWR{ID: 1, Local: l.Seg(64)})
				_ = l.QP.PostSend(hca.SendWR{ID: 2, Op: hca.OpRead, Local: l.Seg(8)})
				go softtest.DrainPipe(c)
				var sender sync.WaitGroup
				defer sender.Wait()
				sender.Go(func() { send(c) })
				if d := l.Broken("not finished"); d < time.Minute || d > 2*time.Minute {
					t.Errorf("it was broken after %v", d)
				}
				l.Entries(2)
			})
		})
	}
}

// So must a record of TLS.
func TestRecordThatIsNotFinished(t *testing.T) {
	bothSides(t, func(t *testing.T, initiator bool) {
		l, c := softtest.Joined(t, initiator, hca.Options{})
		go softtest.DrainPipe(c)
		stream.HoldPartial(l.QP, func() (int64, bool) { return 100, false })
		l.Lives(time.Hour)
		stream.HoldPartial(l.QP, func() (int64, bool) { return 100, true })
		if d := l.Broken("TLS record"); d < time.Minute || d > 2*time.Minute {
			t.Errorf("it was broken after %v", d)
		}
	})
}

// Records that carry nothing for iWARP may follow each other at any distance.
func TestRecordsThatAreFinished(t *testing.T) {
	bothSides(t, func(t *testing.T, initiator bool) {
		l, c := softtest.Joined(t, initiator, hca.Options{})
		go softtest.DrainPipe(c)
		for at := range int64(3) {
			stream.HoldPartial(l.QP, func() (int64, bool) { return at, true })
			l.Lives(30 * time.Second)
			stream.HoldPartial(l.QP, func() (int64, bool) { return at + 1, false })
			l.Lives(time.Hour)
		}
	})
}

// Slow is not dead: frames of a byte each second are accepted, and so are pauses between them.
func TestSlowFrames(t *testing.T) {
	bothSides(t, func(t *testing.T, initiator bool) {
		l, c := softtest.Joined(t, initiator, hca.Options{})
		go softtest.DrainPipe(c)
		for msn := range iwarp.MSN(10) {
			_ = l.QP.PostRecv(hca.RecvWR{ID: 1, Local: l.Seg(64)})
			drip(c, iwarp.AppendUntagged(nil, iwarp.UntaggedHeader{Op: iwarp.OpSend, Last: true, MSN: msn + 1}, []byte("hello"), true))
			synctest.Wait()
			l.Entries(1)
			l.Lives(time.Hour)
		}
	})
}

// The connection holds little more than what the peer has sent.
func TestUnfinishedFramesHoldLittle(t *testing.T) {
	long := iwarp.AppendUntagged(nil, iwarp.UntaggedHeader{Op: iwarp.OpSend, Last: true, MSN: 1}, make([]byte, 60_000), true)
	for _, n := range []int{0, 1, 2000, 2049, 30_000, len(long) - 1} {
		bothSides(t, func(t *testing.T, initiator bool) {
			l, c := softtest.Joined(t, initiator, hca.Options{})
			_ = l.QP.PostRecv(hca.RecvWR{ID: 1, Local: l.Seg(64)})
			go softtest.DrainPipe(c)
			_, _ = c.Write(long[:n])
			<-time.After(2 * time.Second)
			for i := n; i < min(n+5, len(long)-1); i++ { // each byte must not bring the large buffer back
				_, _ = c.Write(long[i : i+1])
				synctest.Wait()
				if held, limit := stream.ReceiveMemory(l.QP), n+n/2+4096; held > limit {
					t.Errorf("%d bytes hold %d, want %d at most", i+1, held, limit)
				}
			}
			l.Lives(50 * time.Second)
		})
	}
}

// A peer that reads nothing is given a minute; if the program lets messages wait longer than that for a
// receive, its peers may take as long.
func TestPeerThatTakesNothing(t *testing.T) {
	for name, c := range map[string]struct{ wait, from, to time.Duration }{
		"": {0, time.Minute, 2 * time.Minute}, ", long wait": {time.Hour, time.Hour, 2 * time.Hour},
	} {
		t.Run("writes"+name, func(t *testing.T) {
			bothSides(t, func(t *testing.T, initiator bool) {
				l, _ := softtest.Joined(t, initiator, hca.Options{ReceiveWait: c.wait})
				_ = l.QP.PostRecv(hca.RecvWR{ID: 1, Local: l.Seg(64)})
				l.Jam(t)
				if d := l.Broken("not read"); d < c.from || d > c.to {
					t.Errorf("it was broken after %v", d)
				}
				l.Entries(5)
			})
		})
		t.Run("graceful"+name, func(t *testing.T) {
			bothSides(t, func(t *testing.T, initiator bool) {
				l, _ := softtest.Joined(t, initiator, hca.Options{ReceiveWait: c.wait})
				_ = l.QP.PostRecv(hca.RecvWR{ID: 1, Local: l.Seg(64)})
				l.Jam(t)
				if err := l.QP.Disconnect(true); err != nil {
					t.Fatal(err)
				}
				if d := l.Broken("not read"); d < c.from || d > c.to {
					t.Errorf("it was broken after %v", d)
				}
				l.Entries(5)
			})
		})
	}
}

// The same for a peer that requests reads and does not take the responses.
func TestPeerThatTakesNoAnswer(t *testing.T) {
	bothSides(t, func(t *testing.T, initiator bool) {
		l, c := softtest.Joined(t, initiator, hca.Options{})
		big, err := l.PD.Register(hca.Memory{Bytes: make([]byte, 1<<20)}, hca.AllAccess)
		if err != nil {
			t.Fatal(err)
		}
		_ = l.QP.PostRecv(hca.RecvWR{ID: 1, Local: l.Seg(64)})
		_, _ = c.Write(iwarp.AppendReadRequest(nil, 1, iwarp.ReadRequest{
			Size: 1 << 20, SourceSTag: iwarp.STag(big.RKey()), SourceTO: iwarp.TO(big.Addr()),
		}, true))
		if d := l.Broken("not read"); d < time.Minute || d > 2*time.Minute {
			t.Errorf("it was broken after %v", d)
		}
		l.Entries(1)
	})
}

// A peer that reads slowly makes progress.
func TestPeerThatTakesLittle(t *testing.T) {
	bothSides(t, func(t *testing.T, initiator bool) {
		l, c := softtest.Joined(t, initiator, hca.Options{})
		l.Jam(t)
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
		l.Lives(0)
		_ = l.QP.Disconnect(false)
	})
}

// A frame behind a message that waits for a receive waits for this side, not for the peer.
func TestWaitingIsNotThePeersFault(t *testing.T) {
	bothSides(t, func(t *testing.T, initiator bool) {
		l, c := softtest.Joined(t, initiator, hca.Options{ReceiveWait: time.Hour})
		go softtest.DrainPipe(c)
		hello := func(msn iwarp.MSN) []byte {
			return iwarp.AppendUntagged(nil, iwarp.UntaggedHeader{Op: iwarp.OpSend, Last: true, MSN: msn}, []byte("hello"), true)
		}
		_, _ = c.Write(hello(1)[:10]) // so that the timer runs
		<-time.After(time.Second)
		_, _ = c.Write(append(hello(1)[10:], hello(2)[:10]...))
		l.Lives(30 * time.Minute)
		_ = l.QP.PostRecv(hca.RecvWR{ID: 1, Local: l.Seg(64)})
		l.Lives(30 * time.Second)
		_ = l.QP.PostRecv(hca.RecvWR{ID: 2, Local: l.Seg(64)})
		_, _ = c.Write(hello(2)[10:])
		l.Lives(time.Hour)
		l.Entries(2)
	})
}
