package verbs

import (
	"errors"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/godapl/godapl/internal/hca/park"
	"github.com/godapl/godapl/internal/hca/verbs/ibv"
	"github.com/godapl/godapl/internal/race"
	"github.com/godapl/godapl/internal/wait"
)

// source is a channel of notifications in memory.
type source struct {
	mu      sync.Mutex
	n       int // notifications
	bell    *ibv.Bell
	handled [2]int // by the goroutine, by consumers
	t       *turns
	on      func() // what a notification does
}

func newSource(t *testing.T, on func()) *source {
	s := &source{on: on, bell: ibv.NewBell(), t: new(turns)}
	t.Cleanup(s.bell.Close)
	_ = s.t.start("source", s.bell.FD(), s.next, func() bool { return true })
	return s
}

func (s *source) next() ibv.Errno {
	s.mu.Lock()
	if s.n == 0 {
		s.mu.Unlock()
		return ibv.EAGAIN
	}
	s.n--
	if s.t.role.Load() == roleConsumer {
		s.handled[1]++
	} else {
		s.handled[0]++
	}
	s.mu.Unlock()
	s.on()
	return 0
}

// notify is a notification of the device.
func (s *source) notify() {
	s.mu.Lock()
	s.n++
	s.mu.Unlock()
	s.bell.Ring()
}

func (s *source) check(t *testing.T, when string, goroutine, consumers int) {
	t.Helper()
	synctest.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.handled != [2]int{goroutine, consumers} || s.n > 0 {
		t.Fatalf("%s: %v notifications were handled by the goroutine and by consumers, %d by nobody, want %d and %d", when, s.handled, s.n, goroutine, consumers)
	}
}

// sleeper waits at a cell until there was a notification, as the consumer of a queue.
type sleeper struct {
	cell  wait.Cell
	ready bool
	mu    sync.Mutex
	s     *source
}

func (c *sleeper) Look() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	ready := c.ready
	c.ready = false
	return ready
}

func (c *sleeper) Arm() {
	c.s.t.sleepers.Add(1)
	c.s.t.slept()
}

func (c *sleeper) told() {
	c.mu.Lock()
	c.ready = true
	c.mu.Unlock()
	c.s.t.sleepers.Add(-1)
	c.cell.Wake()
}

// waitOnce waits for one notification, which is then checked as s.check does.
func (c *sleeper) waitOnce(t *testing.T, when string, goroutine, consumers int) {
	t.Helper()
	done := make(chan struct{})
	go func() { defer close(done); c.wait() }()
	synctest.Wait()
	c.s.notify()
	c.s.check(t, when, goroutine, consumers)
	<-done
}

func (c *sleeper) wait() { c.cell.Wait(c, wait.Options{Parker: parkHere{c.s.t}}) }

// parkHere is the parker of a queue.
type parkHere struct{ t *turns }

func (p parkHere) AcquirePark() bool           { return p.t.acquire(&p.t.theirs) }
func (p parkHere) Park(again func() bool) bool { return p.t.theirs.Park(again) }
func (p parkHere) Kicker() *func()             { return p.t.theirs.Kicker() }
func (p parkHere) ReleasePark()                { p.t.release() }

// TestAConsumerReads all that comes while it waits, and the goroutine when somebody sleeps elsewhere.
func TestAConsumerReads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &sleeper{}
		s := newSource(t, c.told)
		c.s = s
		c.Arm()
		s.notify()
		s.check(t, "nobody has waited yet", 1, 0)
		c.Look()
		const rounds = 5
		for i := range rounds {
			c.waitOnce(t, "a consumer waits", 1, 1+i)
		}
		if s.t.role.Load() != roleNobody {
			t.Fatal("somebody reads, and nobody sleeps")
		}
		c.Arm() // and sleeps elsewhere
		s.notify()
		s.check(t, "one sleeps elsewhere", 2, rounds)
		s.t.close()
	})
}

// TestThoseWhoLeaveOthersAsleepReadRarely: the goroutine goes on at once, and for longer each time.
func TestThoseWhoLeaveOthersAsleepReadRarely(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &sleeper{}
		s := newSource(t, c.told)
		c.s = s
		s.t.sleepers.Add(1) // another queue
		goroutine, consumers := 0, 0
		for _, rest := range []int{restFirst, 2 * restFirst, 4 * restFirst} {
			for i := range 1 + rest {
				if i == 0 {
					consumers++
				} else {
					goroutine++
				}
				c.waitOnce(t, "another sleeps", goroutine, consumers)
				if s.t.role.Load() != roleGoroutine {
					t.Fatal("nobody reads, and one sleeps")
				}
			}
		}
		s.t.close()
	})
}

// TestAPausedConsumer does not read, and cannot go on.
func TestAPausedConsumer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &sleeper{}
		s := newSource(t, c.told)
		c.s = s
		if !s.t.acquire(&s.t.theirs) {
			t.Fatal("it cannot read")
		}
		c.Arm()
		s.t.pause()
		s.notify()
		s.check(t, "paused", 1, 0)
		s.t.release()
		s.t.close()
	})
}

// TestTheEndOfTurns: whoever reads.
func TestTheEndOfTurns(t *testing.T) {
	for _, rounds := range []int{0, 1, 2} {
		synctest.Test(t, func(t *testing.T) {
			c := &sleeper{}
			s := newSource(t, c.told)
			c.s = s
			done := make(chan struct{})
			go func() {
				defer close(done)
				for range rounds + 1 {
					c.wait()
				}
			}()
			for range rounds {
				synctest.Wait()
				s.notify()
			}
			synctest.Wait()
			s.t.close()
			c.mu.Lock()
			c.ready = true
			c.mu.Unlock()
			c.cell.Wake()
			<-done
		})
	}
}

// TestTheEndDoesNotWaitForABusyConsumer, which hands an event to a program that does not take it.
func TestTheEndDoesNotWaitForABusyConsumer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSource(t, func() {})
		if !s.t.acquire(&s.t.theirs) {
			t.Fatal("it cannot read")
		}
		taken, left := make(chan struct{}), make(chan struct{})
		go func() {
			defer close(left)
			s.t.theirs.Park(func() bool { <-taken; return false })
			s.t.release()
		}()
		synctest.Wait()
		(*s.t.theirs.Kicker())()
		synctest.Wait()
		s.t.close()
		close(taken)
		<-left
		if s.t.acquire(&s.t.theirs) {
			t.Error("a consumer reads behind the end")
		}
	})
}

// TestAConsumerThatServesOthersStops: a channel's goroutine that wakes others more than itself would never leave.
func TestAConsumerThatServesOthersStops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSource(t, func() {})
		s.t.mine = func() bool { return false }
		if !s.t.acquire(&s.t.theirs) {
			t.Fatal("it cannot read")
		}
		stayed := make(chan bool, 1)
		go func() {
			ok := s.t.theirs.Park(func() bool { return s.t.tired.Load() })
			s.t.release()
			stayed <- ok
		}()
		for range othersMost + 1 {
			synctest.Wait()
			s.notify()
		}
		s.check(t, "others", 0, othersMost+1)
		<-stayed
		s.notify()
		s.check(t, "behind that", 1, othersMost+1)
		if s.t.acquire(&s.t.theirs) {
			t.Error("it reads again at once")
		}
		s.t.close()
	})
}

// TestReadingAllocatesNothing holds for taking the place, the sleep, and giving it back.
func TestReadingAllocatesNothing(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector allocates")
	}
	var s *source
	s = newSource(t, func() { (*s.t.theirs.Kicker())() })
	defer s.t.close()
	if n := testing.AllocsPerRun(100, func() {
		if !s.t.acquire(&s.t.theirs) {
			t.Fatal("it cannot read")
		}
		s.notify()
		s.t.theirs.Park(nil)
		s.t.release()
	}); n != 0 || s.handled[1] != 101 {
		t.Errorf("%v allocations, and consumers handled %d of 101 notifications", n, s.handled[1])
	}
}

// TestADeviceThatIsGoneIsNotRead any more. Its descriptor can be closed then.
func TestADeviceThatIsGoneIsNotRead(t *testing.T) {
	bell := ibv.NewBell()
	defer bell.Close()
	d, err := watch("gone", bell.FD(), func() ibv.Errno { return ibv.EINVAL })
	if err != nil {
		t.Fatal(err)
	}
	<-d.done
	d.close()
}

// watches is a queue of a system that has room for a number of watched descriptors.
type watches struct {
	park.Queue
	room *int
	here int
}

func (w *watches) Add(int) error {
	if *w.room == 0 {
		return errors.New("too many are watched")
	}
	*w.room--
	w.here++
	return nil
}

func (w *watches) Remove(int) {
	*w.room++
	w.here--
}

// TestTheGoroutineGoesOnWhereNothingMoreCanBeWatched: somebody sleeps for what arrives, and the consumer's watch can be had.
func TestTheGoroutineGoesOnWhereNothingMoreCanBeWatched(t *testing.T) {
	room := 2
	own, theirs := &watches{room: &room}, &watches{room: &room}
	s := new(turns)
	s.own.Use(own, s)
	s.theirs.Use(theirs, s)
	if s.at.Move(3, &s.own) != nil || !s.acquire(&s.theirs) {
		t.Fatal("it cannot read")
	}
	room = 0 // somebody else has taken it
	s.sleepers.Add(1)
	s.release()
	if s.role.Load() != roleGoroutine || own.here != 1 || theirs.here != 0 {
		t.Errorf("role %d; watched for the goroutine %d times, for consumers %d", s.role.Load(), own.here, theirs.here)
	}
}
