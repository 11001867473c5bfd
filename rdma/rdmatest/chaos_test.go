package rdmatest

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/godapl/godapl/rdma/mem"
)

// TestFaultsThatOverlap: each lasts until its own end, in whatever order they end, and nothing is left of them.
func TestFaultsThatOverlap(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := NewWorld(t, 1)
		h := w.Host("a")
		l := w.Link(h, w.Host("b")).Latency(time.Second)
		h.SlowReader(5000)
		w.mu.Lock()
		defer w.mu.Unlock()
		type state struct {
			passes, runs bool
			travel       time.Duration
			rate         int64
		}
		look := func(at string, want state) {
			t.Helper()
			if got := (state{l.passes(), h.runs(), l.travel(), h.rate()}); got != want {
				t.Errorf("%s: %+v, want %+v", at, got, want)
			}
		}
		all := func(n int64) (end func()) {
			ends := []func(){l.part(), h.pause(), l.delay(time.Duration(n)), h.throttle(n)}
			return func() {
				for _, e := range ends {
					e()
				}
			}
		}
		first, second := all(1000), all(2000)
		look("both", state{travel: time.Second + 3000, rate: 1000})
		first()
		look("the second", state{travel: time.Second + 2000, rate: 2000})
		third := all(700)
		second()
		look("the third", state{travel: time.Second + 700, rate: 700})
		third()
		look("none", state{true, true, time.Second, 5000})

		before := h.pause()
		h.die()
		after := h.pause()
		if before(); h.runs() {
			t.Error("the end of a stop before the process was killed ends one behind it")
		}
		if after(); !h.runs() {
			t.Error("a process is stopped for good")
		}
	})
}

// TestChaosPasses: some time after the last fault the network is as before, and the ends of faults are no faults.
func TestChaosPasses(t *testing.T) {
	for seed := range uint64(20) {
		synctest.Test(t, func(t *testing.T) {
			w := NewWorld(t, seed)
			a, b := w.Host("a"), w.Host("b")
			l := w.Link(a, b).Latency(time.Millisecond)
			x, y := w.Pair(a, b)
			here, err := x.Zone().Alloc(4096, mem.All)
			must1(t, err)
			there, err := y.Zone().Alloc(4096, mem.All)
			must1(t, err)
			w.Chaos(0.5)
			for range 20 {
				if _, err := x.Read(w.Context(), here.All(), there.Remote()); err != nil {
					break
				}
			}
			w.Chaos(0)
			<-time.After(longest)
			w.Settle()
			for what := range w.Fired() {
				if len(what) > 5 && what[len(what)-5:] == " ends" {
					t.Errorf("%q counts as a fault", what)
				}
			}
			w.mu.Lock()
			defer w.mu.Unlock()
			if !l.passes() || l.travel() != time.Millisecond || len(w.plans) > 0 {
				t.Errorf("the link passes: %v, in %v; %d plans", l.passes(), l.travel(), len(w.plans))
			}
			for _, h := range []*Host{a, b} {
				if !h.runs() || h.rate() != 0 {
					t.Errorf("%s runs: %v, and takes %d bytes a second", h.name, h.runs(), h.rate())
				}
			}
		})
	}
}

// TestNothingFailsAtTheEnd: plans that are not due do not keep the adapters from closing in order, nor does what a
// program does too late.
func TestNothingFailsAtTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := NewWorld(t, 1)
		a, b := w.Host("a"), w.Host("b")
		w.Pair(a, b)
		l := w.Link(a, b).Partition(AtByte(1)).Cut(AtByte(2)).Partition(After(0))
		w.mu.Lock()
		w.heal()
		w.mu.Unlock()
		l.Partition(Now())
		a.Stop()
		w.Settle()
		w.mu.Lock()
		defer w.mu.Unlock()
		if len(w.plans) != 0 || !l.passes() || !a.runs() {
			t.Errorf("%d plans, the link passes: %v, the host runs: %v", len(w.plans), l.passes(), a.runs())
		}
	})
}
