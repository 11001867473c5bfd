package event_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"github.com/godapl/godapl/rdma/event"
)

// count starts a wait for a number of events, and returns when it is parked or over.
func count(ctx context.Context, s *event.Set, threshold int) <-chan result {
	c := make(chan result, 1)
	go func() {
		n, err := s.WaitThreshold(ctx, threshold)
		c <- result{first: n, err: err}
	}()
	synctest.Wait()
	return c
}

func wantCount(t testing.TB, c <-chan result, want int) {
	t.Helper()
	if r := over(t, c); r.first != want || r.err != nil {
		t.Fatalf("counted %d, %v; want %d", r.first, r.err, want)
	}
}

func TestASetCountsOverItsMembers(t *testing.T) {
	for name, by := range arrivals {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a, b, s := event.New[int](event.Config{}), event.New[int](event.Config{}), event.NewSet()
				defer s.Close()
				addA, addB := by(t, a), by(t, b)
				if err := s.Add(a, b); err != nil {
					t.Fatal(err)
				}
				addA(1)
				c := count(background, s, 4)
				still(t, c)
				addA(2) // to a dispatcher that is ready already
				still(t, c)
				addB(3)
				still(t, c)
				addA(4)
				wantCount(t, c, 4)
				wantCount(t, count(background, s, 1), 4) // nothing was taken
				for range 2 {
					m, err := s.WaitTimeout(0)
					if err != nil {
						t.Fatal(err)
					}
					if m == a {
						wantPoll(t, a, 1, 2, 4)
					} else {
						wantPoll(t, b, 3)
					}
				}
				wantPoll(t, a)
				wantPoll(t, b)
				nobodyReady(t, s)
				c = count(background, s, 2)
				addB(5, 6)
				wantCount(t, c, 2)
			})
		})
	}
}

func TestASetCountsQuietEventsButTheyDoNotWake(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, a, b := two(t)
		c := count(background, s, 2)
		event.ProviderOf(a).PutAll([]int{1, 2}, true)
		still(t, c)
		b.Post("x")
		wantCount(t, c, 3)
	})
}

func TestSeveralMayCount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, a, _ := two(t)
		one, three, member := count(background, s, 1), count(background, s, 3), make(chan event.Member, 1)
		go func() {
			m, _ := s.Wait(background)
			member <- m
		}()
		post(t, a, 1)
		wantCount(t, one, 1)
		if m := <-member; m != a {
			t.Error("the counters kept the trigger from the waiter")
		}
		still(t, three)
		post(t, a, 2, 3)
		wantCount(t, three, 3)
	})
}

func TestTheEndOfACount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, a, b := two(t)
		var none context.Context
		_, err := s.WaitThreshold(none, 1)
		wantErr(t, err, event.ErrInvalid)
		_, err = s.WaitThreshold(background, 0)
		wantErr(t, err, event.ErrInvalid)
		_, err = s.WaitThreshold(background, a.Cap()+b.Cap()+1)
		wantErr(t, err, event.ErrInvalid)
		ctx, cancel := context.WithCancelCause(background)
		c := count(ctx, s, 2)
		cancel(errors.New("enough"))
		wantErr(t, over(t, c).err, event.ErrCanceled)
		c = count(background, s, 2)
		a.Close()
		still(t, c)
		b.Close() // the last
		wantErr(t, over(t, c).err, event.ErrClosed)
		d := event.New[int](event.Config{})
		s.Add(d)
		c = count(background, s, 2)
		s.Close()
		wantErr(t, over(t, c).err, event.ErrClosed)
		_, err = s.WaitThreshold(background, 1)
		wantErr(t, err, event.ErrClosed)
	})
}

// TestACountEndsWhenItIsOutOfReach: the dispatchers that are left do not hold so many events.
func TestACountEndsWhenItIsOutOfReach(t *testing.T) {
	leaves := map[string]func(s *event.Set, d *event.Dispatcher[int]) error{
		"Remove": func(s *event.Set, d *event.Dispatcher[int]) error { return s.Remove(d) },
		"Close":  func(_ *event.Set, d *event.Dispatcher[int]) error { return d.Close() },
	}
	for name, leave := range leaves {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a, b := event.New[int](event.Config{Depth: 2}), event.New[int](event.Config{Depth: 2})
				s := newSet(t, a, b)
				ctx, cancel := context.WithCancel(background)
				defer cancel()
				within, beyond := count(ctx, s, 2), count(ctx, s, 3)
				if err := leave(s, b); err != nil {
					t.Fatal(err)
				}
				synctest.Wait()
				wantErr(t, over(t, beyond).err, event.ErrInvalid)
				still(t, within)
			})
		})
	}
}

// Nothing would wake it. Events that are there take precedence, as in a wait for one dispatcher.
func TestACountEndsWhereASourceCannotBeArmed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, a, _ := two(t)
		src := attach(t, a)
		ctx, cancel := context.WithCancel(background)
		defer cancel()
		c := count(ctx, s, 2)
		src.armErr = errors.New("unplugged")
		src.add(false, 1)
		wantErr(t, over(t, c).err, src.armErr)
		src.add(false, 2)
		wantCount(t, count(ctx, s, 2), 2)
		src.armErr = nil
		c = count(ctx, s, 3)
		still(t, c)
		src.add(false, 3)
		wantCount(t, c, 3)
	})
}

// TestACountThatEndsAtOnceCountsNothing: what an earlier call has counted is not its result.
func TestACountThatEndsAtOnceCountsNothing(t *testing.T) {
	s, a, _ := two(t)
	post(t, a, 1, 2)
	if n, err := s.WaitThreshold(background, 2); n != 2 || err != nil {
		t.Fatal(n, err)
	}
	s.Close()
	n, err := s.WaitThreshold(background, 2)
	wantErr(t, err, event.ErrClosed)
	if n != 0 {
		t.Errorf("a closed set holds %d events", n)
	}
}

func TestCountingAllocatesNothing(t *testing.T) {
	s, a, _ := two(t)
	post(t, a, 1, 2)
	noAllocs(t, "WaitThreshold", func() { s.WaitThreshold(background, 2) })
}
