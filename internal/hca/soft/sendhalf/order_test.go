package sendhalf_test

import (
	"testing"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/core"
	"github.com/godapl/godapl/internal/hca/soft/sendhalf"
)

func request(id uint64, op hca.Op) hca.SendWR {
	return hca.SendWR{ID: id, Op: op, Local: hca.Segment{Len: 1}}
}

// TestTheGoroutineInsideDoesTheWork: posts of every form that find the gate shut leave their requests, and the goroutine
// that is inside does them, in order, when it leaves.
func TestTheGoroutineInsideDoesTheWork(t *testing.T) {
	l := newLane(t)
	l.now = always(sendhalf.NowDone) // but nobody outside may be asked
	l.hold(t)
	l.post(t, 1)
	must(t, l.PostPlainWrite(2, 0, hca.Segment{Len: 1}, 0, 0))
	must(t, l.PostSend(request(3, hca.OpSend)))
	must(t, l.PostSend(request(4, hca.OpWriteImm)))
	n, err := l.PostSends([]hca.SendWR{request(5, hca.OpSend), request(6, hca.OpWriteImm)})
	must(t, err)
	l.RunSend()
	l.did(t, "")
	if n != 2 || !l.q.SQ.Empty() || l.cq.Entered() != 0 {
		t.Fatalf("a poster did something inside the gate of another: %d posted, %d entries", n, l.cq.Entered())
	}
	l.LeaveSend()
	l.did(t, "1, 2, 3, 4, 5, 6")
	l.completed(t, 1, 2, 3, 4, 5, 6)
}

// TestRequestsInTheInboxGoFirst: the gate can be free while the inbox holds requests, since core.QP.LeaveTx leaves it
// before it runs the work that others have marked. A post that comes then is behind them, in whichever form.
func TestRequestsInTheInboxGoFirst(t *testing.T) {
	for name, post := range map[string]func(*lane) error{
		"plain": func(l *lane) error { return l.PostPlainSend(3, 0, hca.Segment{Len: 1}) },
		"send":  func(l *lane) error { return l.PostSend(request(3, hca.OpSend)) },
		"other": func(l *lane) error { return l.PostSend(request(3, hca.OpWriteImm)) },
		"list":  func(l *lane) error { _, err := l.PostSends([]hca.SendWR{request(3, hca.OpSend)}); return err },
	} {
		t.Run(name, func(t *testing.T) {
			l := newLane(t)
			l.hold(t)
			l.post(t, 1, 2)
			for l.q.Tx.Leave() {
			}
			l.now = always(sendhalf.NowDone)
			must(t, post(l))
			l.did(t, "1, 2, 3")
			l.completed(t, 1, 2, 3)
		})
	}
}

// TestWorkThatComesMeanwhile: a request that somebody posts while the path works, or while a request is carried out at
// once, is done before the gate is left; whatever there is to be done after it.
func TestWorkThatComesMeanwhile(t *testing.T) {
	for name, c := range map[string]struct {
		now   sendhalf.Now
		flags hca.Flags
		wake  bool // another consumer is to be told, too
		want  string
		done  []uint64
	}{
		"queued":            {sendhalf.NotNow, 0, false, "1, 2", []uint64{1, 2}},
		"queued, silent":    {sendhalf.NotNow, hca.Suppress, false, "1, 2", []uint64{2}},
		"sent":              {sendhalf.NowSent, 0, false, "sent 1, 1, 2", []uint64{1, 2}},
		"at once":           {sendhalf.NowDone, 0, false, "done 1, 2", []uint64{1, 2}},
		"at once, silent":   {sendhalf.NowDone, hca.Suppress, false, "done 1, 2", []uint64{2}},
		"at once, and wake": {sendhalf.NowDone, 0, true, "done 1, 2", []uint64{1, 2}},
	} {
		t.Run(name, func(t *testing.T) {
			lanes := newLanes(t, 2)
			l, other := lanes[0], lanes[1]
			meanwhile := func() { l.post(t, 2) }
			l.now = func(uint64) sendhalf.Now {
				if c.now == sendhalf.NotNow {
					l.during = meanwhile
					return c.now
				}
				meanwhile()
				if c.wake {
					other.arrives(7, &l.After)
				}
				return c.now
			}
			must(t, l.cq.Arm())
			must(t, l.PostPlainSend(1, c.flags, hca.Segment{Len: 1}))
			l.did(t, c.want)
			if l.told != 1 || l.held {
				t.Errorf("the consumer was told %d times, inside the gate: %t", l.told, l.held)
			}
			l.completed(t, c.done...)
		})
	}
}

// arrives makes an entry for a lane, as the peer of a lane of the same process does inside its own gate.
func (l *lane) arrives(id uint64, after *core.Deferred) {
	l.q.Tx.CountIn(depth)
	l.q.Succeed(id, 1, hca.OpSend, 0, after)
	l.q.Tx.Leave()
}
