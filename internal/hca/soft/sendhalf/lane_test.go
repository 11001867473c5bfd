package sendhalf_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/core"
	"github.com/godapl/godapl/internal/hca/soft/gate"
	"github.com/godapl/godapl/internal/hca/soft/sendhalf"
)

// A lane is a send half whose path carries out every request when it is pumped. It writes down what it is asked.
type lane struct {
	sendhalf.Half
	q      *core.QP
	cq     *core.CQ
	log    []string
	now    func(id uint64) sendhalf.Now // AtOnce; nil: NotNow
	during func()                       // called in Pump, once
	waits  bool                         // MayWait
	told   int                          // calls of the queue's Notify
	held   bool                         // one came inside the gate
}

const depth = 8

// newLanes are lanes of queue pairs of one adapter, each with a completion queue of its own.
func newLanes(t *testing.T, n int) []*lane {
	t.Helper()
	a := core.NewAdapter(core.NewAttr("test", "", 0), hca.Options{})
	t.Cleanup(func() { a.Shutdown(func() {}) })
	pd, err := a.NewPD()
	must(t, err)
	var lanes []*lane
	for range n {
		l := new(lane)
		c, err := a.NewCQ(hca.CQConfig{Depth: 64, Notify: func() {
			l.told++
			for _, other := range lanes {
				l.held = l.held || inside(other)
			}
		}})
		must(t, err)
		qp, err := a.NewQP(hca.QPConfig{PD: pd, SendCQ: c, RecvCQ: c, SendDepth: depth})
		must(t, err)
		l.q, l.cq = qp.(*core.QP), c.(*core.CQ)
		l.InitSend(l.q, l)
		l.q.State.Store(core.StateReady)
		t.Cleanup(func() { l.q.State.Store(core.StateNew) }) // nobody has connected it, and nobody ends it
		lanes = append(lanes, l)
	}
	return lanes
}

func newLane(t *testing.T) *lane { return newLanes(t, 1)[0] }

func (l *lane) note(format string, args ...any) { l.log = append(l.log, fmt.Sprintf(format, args...)) }

func (l *lane) Pump(deferred *core.Deferred) {
	if f := l.during; f != nil {
		l.during = nil
		f()
	}
	for s := &l.q.SQ; !s.Empty(); s.Head++ {
		s.Next = s.Head + 1
		r := s.At(s.Head)
		l.note("%d", r.WR.ID)
		l.q.Complete(&r.WR, r.Total, hca.StatusOK, deferred)
	}
}

func (l *lane) Flush(deferred *core.Deferred) {
	l.note("flush")
	l.q.FlushSend(deferred)
}

func (l *lane) AtOnce(id uint64, op hca.Op, flags hca.Flags, local hca.Segment, remote uint64, rkey hca.Key) sendhalf.Now {
	if l.now == nil || !l.q.NothingBefore() {
		return sendhalf.NotNow
	}
	now := l.now(id)
	switch now {
	case sendhalf.NowDone:
		l.note("done %d", id)
	case sendhalf.NowSent:
		l.note("sent %d", id)
		l.q.SQ.PushPlain(id, op, flags, local, remote, rkey)
	}
	return now
}

func (l *lane) MayWait() bool { return l.waits }

func always(now sendhalf.Now) func(uint64) sendhalf.Now {
	return func(uint64) sendhalf.Now { return now }
}

func inside(l *lane) bool { return l.q.Tx.Word.Load()&gate.HeldBit != 0 }

// hold enters the gate, as if another goroutine were inside.
func (l *lane) hold(t *testing.T) {
	t.Helper()
	if !l.q.Tx.TryEnter() {
		t.Fatal("somebody is inside the gate")
	}
}

// post posts plain sends.
func (l *lane) post(t *testing.T, ids ...uint64) {
	t.Helper()
	for _, id := range ids {
		must(t, l.PostPlainSend(id, 0, hca.Segment{Len: 1}))
	}
}

// did checks what the path was asked, and forgets it.
func (l *lane) did(t *testing.T, want string) {
	t.Helper()
	if got := strings.Join(l.log, ", "); got != want {
		t.Errorf("the path did %q, want %q", got, want)
	}
	l.log = nil
}

// counted is how many operations of a kind have succeeded, by the counters.
func (l *lane) counted(t *testing.T, op hca.Op) uint64 {
	t.Helper()
	var s hca.QPStats
	if !l.q.ReadStats(&s, hca.NewPatience(false)) {
		t.Error("the counters cannot be read")
	}
	return s.Ops[op].N
}

// completed takes the entries, which must have these numbers, and leaves nobody inside the gate.
func (l *lane) completed(t *testing.T, want ...uint64) {
	t.Helper()
	var wcs [64]hca.WC
	var got []uint64
	for _, wc := range wcs[:l.cq.Poll(wcs[:])] {
		if wc.Status == hca.StatusOK {
			got = append(got, wc.ID)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("completions %v, want %v", got, want)
	}
	if inside(l) {
		t.Error("somebody is still inside the gate")
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
