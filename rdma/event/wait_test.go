package event_test

import (
	"context"
	"errors"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"github.com/godapl/godapl/rdma/event"
)

func TestWaitGivesTheFirstAndHowManyMore(t *testing.T) {
	d := event.New[int](event.Config{})
	post(t, d, 1, 2, 3)
	first, more, err := d.Wait(background, 2)
	if first != 1 || more != 2 || err != nil {
		t.Fatal(first, more, err)
	}
	wantPoll(t, d, 2, 3)
}

func TestThresholdMustBeOneToCap(t *testing.T) {
	d := event.New[int](event.Config{Depth: 4})
	post(t, d, 1, 2, 3, 4)
	for _, threshold := range []int{-1, 0, 5} {
		_, _, err := d.Wait(background, threshold)
		wantErr(t, err, event.ErrInvalid)
		_, _, err = d.WaitTimeout(0, threshold)
		wantErr(t, err, event.ErrInvalid)
	}
	if first, more, err := d.Wait(background, 4); first != 1 || more != 3 || err != nil {
		t.Fatal(first, more, err)
	}
	_, err := d.WaitBatch(background, nil)
	wantErr(t, err, event.ErrInvalid)
}

func TestTimeoutTakesNothingAndTellsHowManyAreQueued(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := event.New[int](event.Config{})
		post(t, d, 1, 2)
		start := time.Now()
		_, more, err := d.WaitTimeout(3*second, 3)
		wantErr(t, err, event.ErrTimeout)
		wantErr(t, err, os.ErrDeadlineExceeded)
		if took := time.Since(start); more != 2 || took != 3*second {
			t.Fatalf("more %d after %v", more, took)
		}
		wantPoll(t, d, 1, 2)

		post(t, d, 3)
		_, more, err = d.WaitTimeout(0, 2)
		wantErr(t, err, event.ErrTimeout)
		_, more2, err := d.WaitTimeout(-1, 2)
		wantErr(t, err, event.ErrTimeout)
		if more != 1 || more2 != 1 || time.Since(start) != 3*second {
			t.Fatal("a timeout of 0 must not block")
		}
		if first, _, err := d.WaitTimeout(0, 1); first != 3 || err != nil {
			t.Fatal("a timeout of 0 is a poll", first, err)
		}
	})
}

func TestForeverIsNoLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := event.New[int](event.Config{})
		time.AfterFunc(1000*time.Hour, func() { d.Post(1) })
		if first, _, err := d.WaitTimeout(event.Forever, 1); first != 1 || err != nil {
			t.Fatal(first, err)
		}
	})
}

func TestContextEndsAWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := event.New[int](event.Config{})
		post(t, d, 1)
		cause := errors.New("no more need")
		ctx, cancel := context.WithCancelCause(background)
		c := waitFor(d, ctx, 2)
		cancel(cause)
		r := over(t, c)
		wantErr(t, r.err, event.ErrCanceled)
		wantErr(t, r.err, context.Canceled)
		wantErr(t, r.err, cause)
		if r.more != 1 {
			t.Fatalf("more %d, want 1", r.more)
		}
		// What is there counts more than a context that has ended.
		if first, _, err := d.Wait(ctx, 1); first != 1 || err != nil {
			t.Fatal(first, err)
		}
		ctx, cancel2 := context.WithTimeout(background, second)
		defer cancel2()
		start := time.Now()
		_, _, err := d.Wait(ctx, 1)
		wantErr(t, err, event.ErrTimeout)
		wantErr(t, err, context.DeadlineExceeded)
		if time.Since(start) != second {
			t.Fatal("too early or too late")
		}
		post(t, d, 2)
		wantPoll(t, d, 2)
	})
}

func TestQuietEventsCountButDoNotWake(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := event.New[int](event.Config{})
		put := func(ev int, quiet bool) {
			if !event.ProviderOf(d).Put(&ev, quiet) {
				t.Fatal("no room")
			}
		}
		c := waitFor(d, background, 2)
		put(1, true)
		put(2, true)
		put(3, true)
		still(t, c)
		put(4, false)
		if r := over(t, c); r != (result{1, 3, nil}) {
			t.Fatalf("got %+v", r)
		}
		// On entry they count.
		if first, more, err := d.Wait(background, 3); first != 2 || more != 2 || err != nil {
			t.Fatal(first, more, err)
		}
	})
}

// Nothing else could end a wait on a queue that is full of quiet events.
func TestALoudEventWakesEvenIfThereIsNoRoomForIt(t *testing.T) {
	for name, arrive := range map[string]func(*event.Dispatcher[int]){
		"Post": func(d *event.Dispatcher[int]) { d.Post(9) },
		"Put":  func(d *event.Dispatcher[int]) { ev := 9; event.ProviderOf(d).Put(&ev, false) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := event.New[int](event.Config{Depth: 2})
				c := waitFor(d, background, 1)
				event.ProviderOf(d).PutAll([]int{1, 2, 3}, true)
				still(t, c)
				arrive(d)
				if r := over(t, c); r != (result{1, 1, nil}) {
					t.Fatalf("got %+v", r)
				}
			})
		})
	}
}

// A waiter with a threshold is woken when it is reached, and not before.
func TestThresholdWakesOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		looks := 0
		defer event.SetHook(func(_ any, step string) {
			if step == "look" {
				looks++
			}
		})()
		d := event.New[int](event.Config{})
		c := waitFor(d, background, 16)
		before := looks
		for i := range 15 {
			post(t, d, i)
			synctest.Wait()
		}
		still(t, c)
		if looks != before {
			t.Fatalf("woken %d times below the threshold", looks-before)
		}
		post(t, d, 15)
		if r := over(t, c); r.more != 15 || r.err != nil {
			t.Fatalf("got %+v", r)
		}
		if looks != before+1 {
			t.Fatalf("looked %d times after the threshold was reached, want 1", looks-before)
		}
	})
}

// A batch that arrives at once wakes once, from a source as well.
func TestABatchWakesOnce(t *testing.T) {
	for name, arrive := range map[string]func(*event.Dispatcher[int], *source){
		"PutAll":   func(d *event.Dispatcher[int], _ *source) { event.ProviderOf(d).PutAll(make([]int, 64), false) },
		"a source": func(_ *event.Dispatcher[int], s *source) { s.add(false, make([]int, 64)...) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := event.New[int](event.Config{Burst: -1})
				s := attach(t, d)
				c := make(chan int)
				looks := 0
				defer event.SetHook(func(_ any, step string) {
					if step == "look" {
						looks++
					}
				})()
				go func() {
					defer close(c)
					var buf [64]int
					for evs, err := range d.Drain(background, buf[:]) {
						if err != nil {
							return
						}
						c <- len(evs)
					}
				}()
				synctest.Wait()
				before := looks
				arrive(d, s)
				if n := <-c; n != 64 {
					t.Fatalf("a batch of %d, want 64", n)
				}
				// Parked again, after the call's own look and one after arming.
				synctest.Wait()
				if looks -= before; looks != 2 {
					t.Fatalf("%d looks, want 2", looks)
				}
				d.Close()
				<-c
			})
		})
	}
}

func TestDrainEndsWithItsContextEvenIfEventsNeverCease(t *testing.T) {
	d := event.New[int](event.Config{})
	ctx, cancel := context.WithCancel(background)
	defer cancel()
	n := 0
	post(t, d, 0)
	var end error
	for _, err := range d.Drain(ctx, make([]int, 1)) {
		if end = err; err != nil {
			continue // it is the last
		}
		if n++; n == 10 {
			cancel()
		}
		post(t, d, n)
	}
	if n != 10 {
		t.Fatalf("%d batches, want 10", n)
	}
	wantErr(t, end, event.ErrCanceled)
	wantPoll(t, d, 10)
}

func TestTheBodyOfDrainMayUseOtherFaces(t *testing.T) {
	d := event.New[int](event.Config{})
	post(t, d, 1, 2, 3)
	for range d.Drain(background, make([]int, 1)) {
		wantPoll(t, d, 2, 3)
		break
	}
}

func TestWaitBatchTakesAllThatIsThere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := event.New[int](event.Config{})
		buf := make([]int, 4)
		_, err := d.WaitBatchTimeout(second, buf)
		wantErr(t, err, event.ErrTimeout)
		_, err = d.WaitBatchTimeout(0, buf)
		wantErr(t, err, event.ErrTimeout)
		var n int
		time.AfterFunc(second, func() { event.ProviderOf(d).PutAll([]int{1, 2, 3, 4, 5}, false) })
		if n, err = d.WaitBatch(background, buf); n != 4 || err != nil || buf[3] != 4 {
			t.Fatal(n, err, buf)
		}
		if n, err = d.WaitBatchTimeout(0, buf); n != 1 || err != nil || buf[0] != 5 {
			t.Fatal(n, err, buf)
		}
	})
}

// SetBurst changes how often a wait looks before it parks.
func TestSetBurst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := event.New[int](event.Config{Burst: -1})
		defer d.Close()
		attach(t, d)
		for _, c := range []struct{ burst, looks int }{{10, 10 + 2}, {-1, 2}} {
			looks := 0
			restore := event.SetHook(func(_ any, step string) {
				if step == "look" {
					looks++
				}
			})
			event.ProviderOf(d).SetBurst(c.burst)
			_, err := d.WaitBatchTimeout(second, make([]int, 1))
			restore()
			if !errors.Is(err, event.ErrTimeout) || looks != c.looks {
				t.Errorf("burst %d: %d looks, want %d; %v", c.burst, looks, c.looks, err)
			}
		}
	})
}
