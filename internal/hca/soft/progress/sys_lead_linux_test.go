package progress

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/godapl/godapl/internal/shm"
)

// arrivals are those at one descriptor. Each kicks the consumer that leads.
type arrivals struct {
	fd      int
	p       *Poller
	b       Background
	handled atomic.Int64
	came    chan struct{}
}

func (a *arrivals) Event(uint32) (again bool) {
	var b [8]byte
	_, _ = unix.Read(a.fd, b[:])
	a.handled.Add(1)
	a.came <- struct{}{}
	(*a.p.Lead.Kicker())()
	return false
}

func (a *arrivals) Continue() (again bool) { return false }
func (a *arrivals) SetPending(bool)        {}
func (a *arrivals) ToEngine()              {}

func (a *arrivals) arrive(t *testing.T) {
	t.Helper()
	if _, err := unix.Write(a.fd, []byte{7: 1, 0: 1}); err != nil {
		t.Fatal(err)
	}
}

// handledBy fails unless an arrival is handled by and by.
func (a *arrivals) handledBy(t *testing.T, whom string) {
	t.Helper()
	select {
	case <-a.came:
	case <-time.After(20 * time.Second):
		t.Fatalf("%s has not handled the arrival", whom)
	}
}

func (a *arrivals) holder(t *testing.T, want string) {
	t.Helper()
	if got := a.p.Lead.Holder(); got != want {
		t.Fatalf("%s has the lead, want %s", got, want)
	}
}

// lead makes the test the consumer, and the poller's goroutine leave.
func (a *arrivals) lead(t *testing.T) {
	t.Helper()
	if !a.p.AcquireLead() {
		t.Fatal("the lead is taken")
	}
	(*a.p.Lead.Kicker())()
	if !a.p.Lead.Park(nil) {
		t.Fatal("the consumer cannot park")
	}
}

func newArrivals(t *testing.T) *arrivals {
	t.Helper()
	fd, err := shm.NewEvent()
	if err != nil {
		t.Fatal(err)
	}
	a := &arrivals{fd: fd, came: make(chan struct{}, 100)}
	a.b.Rounds = new(Counters)
	a.p = &a.b.Poller
	a.p.Rounds = a.b.Rounds
	var number int32
	if a.p.AcquireLead() {
		t.Error("a consumer leads where nothing is watched")
	}
	if err := a.p.Add(fd, a, &number); err != nil {
		t.Fatal(err)
	}
	a.p.Modify(fd, number, ArmRead)
	t.Cleanup(func() {
		a.b.Close()
		shm.CloseFD(fd)
	})
	a.arrive(t)
	a.handledBy(t, "the poller") // its goroutine runs from here on
	return a
}

// TestAConsumerThatLeadsReads what arrives, and the poller's goroutine does not, also while the consumer is awake.
func TestAConsumerThatLeadsReads(t *testing.T) {
	a := newArrivals(t)
	a.b.Halt()
	for range 3 {
		a.lead(t)
		if a.p.AcquireLead() {
			t.Fatal("two consumers lead")
		}
		a.p.Lead.Serve() // has no effect
		a.arrive(t)
		for range 1000 {
			runtime.Gosched()
		}
		if len(a.came) > 0 {
			t.Fatal("the poller's goroutine has read")
		}
		if !a.p.Lead.Park(nil) {
			t.Fatal("the consumer cannot park")
		}
		a.handledBy(t, "the consumer")
		a.p.Lead.Leave(&a.b)
		a.holder(t, "nobody")
		a.arrive(t)
		if !a.p.Poll() {
			t.Fatal("a poll finds nothing")
		}
		a.handledBy(t, "the poll")
		a.p.Lead.Serve()
		a.holder(t, "the poller")
		a.arrive(t)
		a.handledBy(t, "the poller")
	}
}

// TestALeadThatNobodyTakes goes back to the poller after a moment.
func TestALeadThatNobodyTakes(t *testing.T) {
	a := newArrivals(t)
	a.lead(t)
	a.p.Lead.Leave(&a.b)
	a.arrive(t)
	a.handledBy(t, "the poller")
	a.holder(t, "the poller")
}

// TestALeadOutlivesTheWatch while its consumer sleeps.
func TestALeadOutlivesTheWatch(t *testing.T) {
	a := newArrivals(t)
	a.lead(t)
	a.p.Lead.Rearm()
	a.holder(t, "a consumer")
	a.p.Lead.Leave(&a.b)
}

// TestTheEndOfALead when the adapter closes: a consumer that sleeps wakes, and the end does not wait for one that is awake.
func TestTheEndOfALead(t *testing.T) {
	for _, asleep := range []bool{true, false} {
		a := newArrivals(t)
		a.lead(t)
		parked := make(chan bool, 1)
		if asleep {
			go func() { parked <- a.p.Lead.Park(nil) }()
		}
		a.b.Close()
		if !asleep {
			parked <- a.p.Lead.Park(nil)
		}
		if <-parked {
			t.Errorf("asleep %t: the consumer parks at a closed poller", asleep)
		}
		a.p.Lead.Leave(&a.b)
		if a.p.Lead.Serve(); a.p.AcquireLead() && a.p.Lead.Park(nil) {
			t.Error("a consumer leads a closed poller")
		}
	}
}

// TestNoArrivalIsLostBetweenLeaders: consumers take the lead from one another and from the poller, and kicks come late.
func TestNoArrivalIsLostBetweenLeaders(t *testing.T) {
	a := newArrivals(t)
	var over atomic.Bool
	var consumers sync.WaitGroup
	for i := range 3 {
		consumers.Go(func() {
			for n := 0; !over.Load(); n++ {
				if !a.p.AcquireLead() {
					(*a.p.Lead.Kicker())()
					runtime.Gosched()
					continue
				}
				a.p.Lead.Park(nil)
				a.p.Lead.Leave(&a.b)
				if (n+i)%3 == 0 {
					a.p.Lead.Serve()
				}
			}
		})
	}
	for range 3000 {
		a.arrive(t)
		a.handledBy(t, "any of them")
	}
	over.Store(true)
	done := make(chan struct{})
	go func() { consumers.Wait(); close(done) }()
	for running := true; running; {
		select {
		case <-done:
			running = false
		default:
			(*a.p.Lead.Kicker())()
			runtime.Gosched()
		}
	}
	if n := a.handled.Load(); n < 3000 {
		t.Errorf("%d of 3000", n)
	}
}
