package event_test

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/godapl/godapl/rdma/event"
)

// TestACountEndsWhenWhatJoinsIsTooSmall: a set without dispatchers waits for some, and those that come hold too few events.
func TestACountEndsWhenWhatJoinsIsTooSmall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSet(t)
		ctx, cancel := context.WithCancel(background)
		defer cancel()
		within, beyond := count(ctx, s, 2), count(ctx, s, 3)
		still(t, beyond)
		if err := s.Add(event.New[int](event.Config{Depth: 2})); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		wantErr(t, over(t, beyond).err, event.ErrInvalid)
		still(t, within)
	})
}

// TestACountEndsWhenADispatcherShrinks: nor do those that Resize has made smaller.
func TestACountEndsWhenADispatcherShrinks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := event.New[int](event.Config{Depth: 4})
		s := newSet(t, d)
		ctx, cancel := context.WithCancel(background)
		defer cancel()
		within, beyond := count(ctx, s, 2), count(ctx, s, 3)
		if err := d.Resize(2); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		wantErr(t, over(t, beyond).err, event.ErrInvalid)
		still(t, within)
	})
}

// TestACountJudgesAllThatAreAdded: no part of what one Add adds makes a threshold too large. The second one is already in
// progress when the events of the first wake the counter.
func TestACountJudgesAllThatAreAdded(t *testing.T) {
	for range 100 {
		synctest.Test(t, func(t *testing.T) {
			a, b := event.New[int](event.Config{Depth: 2}), event.New[int](event.Config{Depth: 2})
			post(t, a, 1)
			post(t, b, 2)
			s := newSet(t)
			ctx, cancel := context.WithCancel(background)
			defer cancel()
			within, beyond := count(ctx, s, 3), count(ctx, s, 5)
			if err := s.Add(a, b); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
			wantErr(t, over(t, beyond).err, event.ErrInvalid)
			still(t, within)
			post(t, b, 3)
			wantCount(t, within, 3)
		})
	}
}
