package event_test

import (
	"testing"
	"testing/synctest"

	"github.com/godapl/godapl/rdma/event"
)

func TestTheChannelHandsOutInOrder(t *testing.T) {
	d := event.New[int](event.Config{Depth: 8})
	defer d.Close()
	go func() {
		for i := range 1000 {
			for d.Post(i) != nil {
			}
		}
	}()
	for i := range 1000 {
		if got := <-d.C(); got != i {
			t.Fatalf("got %d, want %d", got, i)
		}
	}
}

func TestTheChannelIsTheOneWaiter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := event.New[int](event.Config{})
		c := d.C()
		if d.C() != c {
			t.Error("a second channel")
		}
		_, _, err := d.Wait(background, 1)
		wantErr(t, err, event.ErrState)
		wantErr(t, d.Err(), event.ErrState)
		_, err = d.Dequeue()
		wantErr(t, err, event.ErrState)
		if _, ok := <-d.Batches(event.BatchConfig{}); ok {
			t.Error("batches beside the channel")
		}
		wantErr(t, d.Resize(5), event.ErrState)
		if s := d.State(); s&(event.Channel|event.Waiting) != event.Channel|event.Waiting {
			t.Errorf("state %v", s)
		}
		d.StopChan()
		if _, ok := <-c; ok {
			t.Error("the channel is not closed")
		}
		if s := d.State(); s != event.Enabled|event.Waitable {
			t.Errorf("state %v", s)
		}
		d.StopChan() // nothing to stop
		if c2 := d.C(); c2 == c {
			t.Error("the old channel again")
		}
		d.Close()
	})
}

func TestStoppingTheChannelPutsBackWhatItHeld(t *testing.T) {
	for _, depth := range []int{1, 2, 64, 200} {
		synctest.Test(t, func(t *testing.T) {
			d := event.New[int](event.Config{Depth: depth})
			defer d.Close()
			c := d.C()
			posted := 0
			for range 3 {
				for d.Post(posted) == nil {
					posted++
					synctest.Wait()
				}
			}
			// The goroutine itself holds one, the rest is within Cap.
			if posted > depth+1 {
				t.Fatalf("%d events fit in a queue of %d", posted, depth)
			}
			if got := <-c; got != 0 {
				t.Fatalf("got %d first", got)
			}
			d.StopChan()
			if d.Len() != posted-1 {
				t.Fatalf("%d queued of %d", d.Len(), posted-1)
			}
			next := 1
			check := func(ev int, err error) {
				if ev != next || err != nil {
					t.Fatalf("got %d, %v; want %d", ev, err, next)
				}
				next++
			}
			// Every face finds what the channel held, in order.
			if next < posted {
				first, more, err := d.Wait(background, min(posted-next, d.Cap()))
				check(first, err)
				if more != posted-next {
					t.Fatalf("more %d, want %d", more, posted-next)
				}
			}
			if next < posted {
				check(d.Dequeue())
			}
			if next < posted { // a receiver that goes on, too
				if ev, ok := <-c; ok {
					check(ev, nil)
				}
			}
			if next < posted {
				check(<-d.C(), nil)
				d.StopChan()
			}
			dst := make([]int, posted)
			for _, ev := range dst[:d.Poll(dst)] {
				check(ev, nil)
			}
			if next != posted {
				t.Fatalf("%d of %d events", next, posted)
			}
			if err := d.Post(1); err != nil {
				t.Fatal("an empty queue has no room:", err)
			}
		})
	}
}

// A face may stop while what an earlier one held is still there.
func TestStoppingFaceAfterFace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := event.New[int](event.Config{Depth: 100})
		want := make([]int, 100)
		for i := range want {
			want[i] = i
		}
		event.ProviderOf(d).PutAll(want, false)
		for i := range 6 {
			if i%2 == 0 {
				d.C()
			} else {
				d.Batches(event.BatchConfig{Size: 3})
			}
			synctest.Wait()
			d.StopChan()
			if d.Len() != 100 {
				t.Fatalf("%d events after %d faces", d.Len(), i+1)
			}
		}
		wantPoll(t, d, want...)
	})
}

// One goroutine receives until the channel ends and then polls, while another
// stops the channel at any moment.
func TestStoppingNeverOvertakesAReceiver(t *testing.T) {
	d := event.New[int](event.Config{Depth: 128})
	defer d.Close()
	want, posted := 0, 0
	for round := range 300 {
		for range round % 90 {
			if d.Post(posted) == nil {
				posted++
			}
		}
		c := d.C()
		stopped := make(chan struct{})
		go func() { d.StopChan(); close(stopped) }()
		for ev := range c {
			if ev != want {
				t.Fatalf("received %d, want %d", ev, want)
			}
			want++
		}
		<-stopped
		if ev, err := d.Dequeue(); err == nil {
			if ev != want {
				t.Fatalf("dequeued %d, want %d", ev, want)
			}
			want++
		}
	}
	if want == 0 {
		t.Fatal("nothing was received")
	}
}

func TestBatchesHandOutInOrderAndComeBack(t *testing.T) {
	d := event.New[int](event.Config{Depth: 64})
	defer d.Close()
	go func() {
		for i := range 5000 {
			for d.Post(i) != nil {
			}
		}
	}()
	seen := make(map[*event.Batch[int]]bool)
	for want := 0; want < 5000; {
		b := <-d.Batches(event.BatchConfig{Size: 16})
		if len(b.Events) == 0 || len(b.Events) > 16 {
			t.Fatalf("a batch of %d", len(b.Events))
		}
		for _, ev := range b.Events {
			if ev != want {
				t.Fatalf("got %d, want %d", ev, want)
			}
			want++
		}
		seen[b] = true
		b.Release()
	}
	if len(seen) > 6 {
		t.Errorf("%d batches were made, though all were released", len(seen))
	}
}

func TestABatchThatIsNotReleasedIsNotFilledAgain(t *testing.T) {
	d := event.New[int](event.Config{})
	defer d.Close()
	var kept []*event.Batch[int]
	for i := range 20 {
		post(t, d, i)
		kept = append(kept, <-d.Batches(event.BatchConfig{Size: 4}))
	}
	for i, b := range kept {
		if len(b.Events) != 1 || b.Events[0] != i {
			t.Fatalf("batch %d holds %v", i, b.Events)
		}
	}
	kept[0].Release()
	defer func() {
		if recover() == nil {
			t.Error("a second Release passed")
		}
	}()
	kept[0].Release()
}

func TestStoppingBatchesPutsTheBatchBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := event.New[int](event.Config{Depth: 4})
		c := d.Batches(event.BatchConfig{Size: 3})
		post(t, d, 1, 2, 3, 4)
		synctest.Wait() // the goroutine holds a batch, so there is room
		posted := 4
		for d.Post(posted+1) == nil {
			posted++
		}
		if posted == 4 {
			t.Fatal("no room though a batch has been taken")
		}
		d.StopChan()
		if _, ok := <-c; ok {
			t.Fatal("the channel is not closed")
		}
		var want []int
		for i := range posted {
			want = append(want, i+1)
		}
		if d.Len() != posted {
			t.Fatalf("%d queued, want %d", d.Len(), posted)
		}
		wantErr(t, d.Post(9), event.ErrQueueFull) // longer than Cap now
		wantPoll(t, d, want...)
	})
}

func TestQuietEventsWaitForALoudOneOnTheChannel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := event.New[int](event.Config{})
		defer d.Close()
		c := d.C()
		synctest.Wait()
		for ev := range 3 {
			event.ProviderOf(d).Put(&ev, true)
		}
		synctest.Wait()
		select {
		case ev := <-c:
			t.Fatalf("quiet event %d was delivered", ev)
		default:
		}
		post(t, d, 3)
		for want := range 4 {
			if ev := <-c; ev != want {
				t.Fatalf("got %d, want %d", ev, want)
			}
		}
	})
}
