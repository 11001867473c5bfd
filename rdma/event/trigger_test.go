package event_test

import (
	"errors"
	"testing"
	"testing/synctest"

	"github.com/godapl/godapl/rdma/event"
)

func wantTrigger(t *testing.T, s *event.Set, want event.Member) {
	t.Helper()
	if m, err := s.WaitTriggerTimeout(0); err != nil || m != want {
		t.Fatalf("the trigger is %v, %v", m, err)
	}
}

func noTrigger(t *testing.T, s *event.Set) {
	t.Helper()
	if m, err := s.WaitTriggerTimeout(0); !errors.Is(err, event.ErrTimeout) {
		t.Fatalf("triggered by %v, %v", m, err)
	}
}

func TestATriggerIsOneForAllDispatchers(t *testing.T) {
	s, a, b := two(t)
	noTrigger(t, s)
	post(t, a, 1)
	b.Post("1")
	wantTrigger(t, s, a) // the first stays the hint
	noTrigger(t, s)      // and the trigger of b went with it
	b.Post("2")
	wantTrigger(t, s, b) // but b is not stranded
	post(t, a, 2)
	if _, err := a.Dequeue(); err != nil {
		t.Fatal(err)
	}
	wantTrigger(t, s, a) // a part was taken
}

func TestATriggerWakesOneWaiter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, a, _ := two(t)
		got := make(chan event.Member, 2)
		for range 2 {
			go func() {
				m, _ := s.WaitTrigger(background)
				got <- m
			}()
		}
		synctest.Wait()
		post(t, a, 1)
		synctest.Wait()
		if len(got) != 1 || <-got != event.Member(a) {
			t.Fatalf("%d waiters were woken too many", len(got))
		}
		post(t, a, 2)
		if <-got != event.Member(a) {
			t.Fatal("the second waiter was not woken")
		}
	})
}

func TestNotifyCallsOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, a, b := two(t)
		calls := make(chan event.Member, 4)
		notify := func() {
			if err := s.Notify(func(m event.Member) { calls <- m }); err != nil {
				t.Fatal(err)
			}
		}
		notify()
		synctest.Wait()
		if len(calls) != 0 {
			t.Fatal("called without a trigger")
		}
		post(t, a, 1)
		b.Post("1")
		synctest.Wait()
		if len(calls) != 1 || <-calls != event.Member(a) {
			t.Fatalf("%d calls too many", len(calls))
		}
		notify() // triggered already
		synctest.Wait()
		if len(calls) != 1 || <-calls != event.Member(a) {
			t.Fatal("whoever comes to a trigger that is there is not called")
		}
		wantTrigger(t, s, a)
		notify()
		if err := s.Notify(nil); err != nil {
			t.Fatal(err)
		}
		post(t, a, 2)
		synctest.Wait()
		if len(calls) != 0 {
			t.Fatal("called after it was taken back")
		}
		s.Close()
		if err := s.Notify(nil); !errors.Is(err, event.ErrClosed) {
			t.Fatal(err)
		}
	})
}
