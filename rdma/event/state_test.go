package event_test

import (
	"net"
	"testing"
	"testing/synctest"

	"github.com/godapl/godapl/rdma/event"
)

func TestANewDispatcherIsEnabledAndWaitable(t *testing.T) {
	d := event.New[int](event.Config{Name: "x"})
	if s := d.State(); s != event.Enabled|event.Waitable || s.String() != "enabled, waitable" {
		t.Errorf("state %v", s)
	}
	if d.Cap() != 256 || d.Len() != 0 || d.Name() != "x" {
		t.Errorf("cap %d, len %d, name %q", d.Cap(), d.Len(), d.Name())
	}
}

func TestSetWaitableWakesTheWaiter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := event.New[int](event.Config{})
		post(t, d, 1)
		c := waitFor(d, background, 2)
		event.ProviderOf(d).SetWaitable(false)
		r := over(t, c)
		wantErr(t, r.err, event.ErrState)
		_, _, err := d.Wait(background, 1)
		wantErr(t, err, event.ErrState)
		if _, ok := <-d.C(); ok {
			t.Error("a channel although waiting is not allowed")
		}
		if d.State()&event.Waitable != 0 {
			t.Error("still waitable")
		}
		wantPoll(t, d, 1) // not concerned
		post(t, d, 2)
		event.ProviderOf(d).SetWaitable(true)
		if first, _, err := d.Wait(background, 1); first != 2 || err != nil {
			t.Fatal(first, err)
		}
	})
}

// A wait that was there ends, however soon waiting is allowed again. The next wait is not concerned.
func TestSetWaitableEndsTheWaitThatItFinds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := event.New[int](event.Config{})
		for range 50 {
			c := waitFor(d, background, 1)
			event.ProviderOf(d).SetWaitable(false)
			event.ProviderOf(d).SetWaitable(true)
			synctest.Wait()
			post(t, d, 1) // ends a wait that is still there
			wantErr(t, over(t, c).err, event.ErrState)
			if first, _, err := d.Wait(background, 1); first != 1 || err != nil {
				t.Fatal(first, err)
			}
		}
	})
}

func TestSetWaitableEndsTheChannel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, posted := range []int{0, 3} {
			d := event.New[int](event.Config{Depth: 1})
			c := d.C()
			for i := range posted {
				d.Post(i)
				synctest.Wait()
			}
			event.ProviderOf(d).SetWaitable(false)
			if s := d.State(); s&(event.Channel|event.Waiting) != 0 {
				t.Errorf("state %v", s)
			}
			for want := 0; ; want++ {
				ev, err := d.Dequeue()
				if err != nil {
					break
				}
				if ev != want {
					t.Fatalf("got %d, want %d", ev, want)
				}
			}
			if _, ok := <-c; ok {
				t.Error("the channel is not closed")
			}
		}
	})
}

func TestResizeKeepsEventsAndOrder(t *testing.T) {
	d := event.New[int](event.Config{Depth: 5})
	post(t, d, 0, 0, 0, 1, 2)
	d.Poll(make([]int, 3))
	post(t, d, 3, 4) // wrapped
	wantErr(t, d.Resize(3), event.ErrState)
	wantErr(t, d.Resize(0), event.ErrInvalid)
	if d.Cap() != 5 {
		t.Fatal("a failed resize changed the depth")
	}
	if err := d.Resize(4); err != nil || d.Cap() != 4 {
		t.Fatal(err)
	}
	wantErr(t, d.Post(5), event.ErrQueueFull)
	if err := d.Resize(100); err != nil {
		t.Fatal(err)
	}
	post(t, d, 5, 6)
	wantPoll(t, d, 1, 2, 3, 4, 5, 6)
	if err := d.Resize(1); err != nil {
		t.Fatal(err)
	}
	post(t, d, 7)
	wantErr(t, d.Post(8), event.ErrQueueFull)
	_, _, err := d.Wait(background, 2)
	wantErr(t, err, event.ErrInvalid)
}

func TestResizeWorksWithEventsOfAStoppedChannel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := event.New[int](event.Config{Depth: 4})
		d.C()
		for i := range 4 {
			post(t, d, i)
			synctest.Wait()
		}
		d.StopChan()
		wantErr(t, d.Resize(3), event.ErrState)
		if err := d.Resize(5); err != nil {
			t.Fatal(err)
		}
		post(t, d, 4)
		wantErr(t, d.Post(5), event.ErrQueueFull)
		wantPoll(t, d, 0, 1, 2, 3, 4)
	})
}

func TestCloseWakesWaitersAndClosesChannels(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := event.New[int](event.Config{Name: "gone"})
		post(t, d, 1)
		c := waitFor(d, background, 2)
		d.Close()
		r := over(t, c)
		wantErr(t, r.err, event.ErrClosed)
		wantErr(t, r.err, net.ErrClosed)

		for _, n := range []int{0, 1, 100} {
			d := event.New[int](event.Config{})
			events := d.C()
			event.ProviderOf(d).PutAll(make([]int, n), false)
			synctest.Wait()
			d.Close()
			for range events { // must end
			}
			d = event.New[int](event.Config{})
			batches := d.Batches(event.BatchConfig{Size: 0})
			event.ProviderOf(d).PutAll(make([]int, n), false)
			synctest.Wait()
			d.Close()
			for range batches {
			}
		}
	})
}

func TestAClosedDispatcherSaysSo(t *testing.T) {
	d := event.New[int](event.Config{Overflow: func(err error) { t.Error("reported:", err) }})
	post(t, d, 1)
	d.Close()
	if err := d.Close(); err != nil {
		t.Error("closing twice:", err)
	}
	ev := 1
	if event.ProviderOf(d).Put(&ev, false) || event.ProviderOf(d).PutAll([]int{1}, false) != 0 || event.ProviderOf(d).PutAfterSources(&ev, false) || d.Len() != 0 || d.Stats().Lost != 0 {
		t.Error("it takes or counts events")
	}
	wantErr(t, d.Post(1), event.ErrClosed)
	_, err := d.Dequeue()
	wantErr(t, err, event.ErrClosed)
	wantErr(t, d.Err(), event.ErrClosed)
	_, _, err = d.Wait(background, 1)
	wantErr(t, err, event.ErrClosed)
	_, _, err = d.WaitTimeout(0, 1)
	wantErr(t, err, event.ErrClosed)
	_, err = d.WaitBatch(background, make([]int, 1))
	wantErr(t, err, event.ErrClosed)
	if _, ok := <-d.C(); ok {
		t.Error("a channel that is not closed")
	}
	wantErr(t, d.Resize(1), event.ErrClosed)
	wantErr(t, event.ProviderOf(d).Attach(newSource(d)), event.ErrClosed)
	wantErr(t, event.NewSet().Add(d), event.ErrClosed)
	if d.State()&event.Closed == 0 {
		t.Error("not closed")
	}
	event.ProviderOf(d).Wake()
	event.ProviderOf(d).Pump()
}
