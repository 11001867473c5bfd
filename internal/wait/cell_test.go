package wait_test

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/godapl/godapl/internal/wait"
)

// counter is a minimal Waitable.
type counter struct {
	n     atomic.Int64
	looks int
	arms  int
}

func (c *counter) Look() bool {
	c.looks++
	for {
		n := c.n.Load()
		if n == 0 {
			return false
		}
		if c.n.CompareAndSwap(n, n-1) {
			return true
		}
	}
}

func (c *counter) Arm() { c.arms++ }

func TestWaitReturnsAtOnceWhatIsThere(t *testing.T) {
	var cell wait.Cell
	var c counter
	c.n.Store(1)
	if out := cell.Wait(&c, wait.Options{}); out != wait.Ready || c.arms != 0 || c.looks != 1 {
		t.Fatalf("outcome %v after %d looks and %d arms", out, c.looks, c.arms)
	}
}

func TestBurstLooksBeforeItArms(t *testing.T) {
	var cell wait.Cell
	var c counter
	done := make(chan struct{})
	close(done)
	if out := cell.Wait(&c, wait.Options{Burst: 10, Done: done}); out != wait.Done {
		t.Fatalf("outcome %v, want Done", out)
	}
	// Ten in the burst, one after arming, one last.
	if c.looks != 12 || c.arms != 1 {
		t.Fatalf("%d looks and %d arms", c.looks, c.arms)
	}
}

func TestTimeoutEndsTheWaitWhenItShould(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var cell wait.Cell
		var c counter
		for _, d := range []time.Duration{time.Second, 3 * time.Millisecond, time.Hour} {
			start := time.Now()
			if out := cell.Wait(&c, wait.Options{Timeout: d}); out != wait.Timeout {
				t.Fatalf("outcome %v, want Timeout", out)
			}
			if took := time.Since(start); took != d {
				t.Fatalf("took %v, want %v", took, d)
			}
		}
	})
}

// Spurious wake-ups must not restart the time limit.
func TestSpuriousWakeUpsDoNotProlongTheTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var cell wait.Cell
		var c counter
		start := time.Now()
		stop := make(chan struct{})
		go func() {
			tick := time.NewTicker(300 * time.Millisecond)
			defer tick.Stop()
			for {
				select {
				case <-tick.C:
					cell.Wake()
				case <-stop:
					return
				}
			}
		}()
		out := cell.Wait(&c, wait.Options{Timeout: time.Second})
		close(stop)
		if took := time.Since(start); out != wait.Timeout || took != time.Second || c.arms != 4 {
			t.Fatalf("outcome %v after %v, armed %d times", out, took, c.arms)
		}
	})
}

func TestManyWakesAreOneWakeUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var cell wait.Cell
		var c counter
		ended := make(chan struct{})
		go func() { defer close(ended); cell.Wait(&c, wait.Options{}) }()
		synctest.Wait()
		looks := c.looks
		for range 10 {
			cell.Wake()
		}
		synctest.Wait()
		if c.looks != looks+2 { // woken, armed, looked again
			t.Fatalf("%d looks for ten wakes at once", c.looks-looks)
		}
		c.n.Store(1)
		cell.Wake()
		<-ended
	})
}

func TestWakeWithoutSleeperLeavesNothingBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var cell wait.Cell
		var c counter
		cell.Wake()
		if out := cell.Wait(&c, wait.Options{Timeout: 1}); out != wait.Timeout || c.arms != 1 {
			t.Fatalf("outcome %v, armed %d times", out, c.arms)
		}
	})
}

// pingPong makes n pairs of waits that park.
func pingPong(n int, o wait.Options) {
	var a, b wait.Cell
	var ca, cb counter
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for range n {
			b.Wait(&cb, o)
			ca.n.Add(1)
			a.Wake()
		}
	}()
	for range n {
		cb.n.Add(1)
		b.Wake()
		a.Wait(&ca, o)
	}
	<-ended
}

func TestWaitAllocatesNothing(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	for name, o := range map[string]wait.Options{
		"plain":   {},
		"context": {Done: ctx.Done()},
		"timeout": {Timeout: time.Hour},
		"all":     {Done: ctx.Done(), Timeout: time.Hour, Burst: 4},
	} {
		// The limit allows the few allocations of the setup, not one per wait.
		if n := testing.AllocsPerRun(5, func() { pingPong(1000, o) }); n > 50 {
			t.Errorf("%s: %v allocations in 2000 waits", name, n)
		}
	}
	var cell wait.Cell
	var c counter
	if n := testing.AllocsPerRun(100, func() { cell.Wait(&c, wait.Options{Timeout: 1}) }); n != 0 {
		t.Errorf("a wait that times out: %v allocations", n)
	}
}

func BenchmarkWakeNobody(b *testing.B) {
	var cell wait.Cell
	for b.Loop() {
		cell.Wake()
	}
}

func BenchmarkMarkLock(b *testing.B) {
	var l wait.MarkLock
	for b.Loop() {
		l.Lock()
		l.Unlock()
	}
}

func BenchmarkPingPong(b *testing.B) {
	b.ReportAllocs()
	pingPong(b.N, wait.Options{})
}

func BenchmarkPingPongTimeout(b *testing.B) {
	b.ReportAllocs()
	pingPong(b.N, wait.Options{Timeout: time.Hour})
}
