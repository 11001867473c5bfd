package event_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/godapl/godapl/rdma/event"
)

func Example() {
	d := event.New[string](event.Config{Name: "news", Depth: 16})
	defer d.Close()
	go func() {
		for _, s := range []string{"one", "two", "three"} {
			d.Post(s)
		}
	}()
	// Waits until three are there, takes the first, and says how many are left.
	first, more, err := d.Wait(context.Background(), 3)
	fmt.Println(first, more, err)

	buf := make([]string, 8)
	n := d.Poll(buf)
	fmt.Println(buf[:n])
	// Output:
	// one 2 <nil>
	// [two three]
}

func ExampleDispatcher_C() {
	d := event.New[int](event.Config{})
	done := make(chan struct{})
	go func() {
		defer close(done)
		for ev := range d.C() {
			fmt.Println("got", ev)
			if ev == 2 {
				return
			}
		}
	}()
	d.Post(1)
	d.Post(2)
	d.Post(3)
	<-done
	d.StopChan() // what the channel held is queued again
	fmt.Println(d.Dequeue())
	d.Close()
	// Output:
	// got 1
	// got 2
	// 3 <nil>
}

func ExampleDispatcher_Drain() {
	d := event.New[int](event.Config{})
	for i := range 5 {
		d.Post(i)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var buf [3]int
	for numbers, err := range d.Drain(ctx, buf[:]) {
		if err != nil {
			fmt.Println(errors.Is(err, event.ErrCanceled))
			break
		}
		fmt.Println(numbers)
		if d.Len() == 0 {
			cancel()
		}
	}
	// Output:
	// [0 1 2]
	// [3 4]
	// true
}

func ExampleDispatcher_WaitTimeout() {
	d := event.New[int](event.Config{})
	d.Post(7)
	_, more, err := d.WaitTimeout(time.Millisecond, 2)
	fmt.Println(more, errors.Is(err, event.ErrTimeout))
	// Output: 1 true
}

func ExampleBatch() {
	d := event.New[int](event.Config{})
	defer d.Close()
	event.ProviderOf(d).PutAll([]int{1, 2, 3}, false)
	b := <-d.Batches(event.BatchConfig{Size: 64})
	fmt.Println(b.Events)
	b.Release() // to be filled again
	// Output: [1 2 3]
}

func ExampleBatchConfig() {
	d := event.New[string](event.Config{})
	defer d.Close()
	// Three at a time, but nobody waits longer than 10 ms for the other two.
	batches := d.Batches(event.BatchConfig{Size: 3, Threshold: 3, Within: 10 * time.Millisecond})
	for _, word := range []string{"a", "b", "c", "d"} {
		d.Post(word)
	}
	for range 2 {
		b := <-batches
		fmt.Println(b.Events)
		b.Release()
	}
	// Output:
	// [a b c]
	// [d]
}

func ExampleSet_WaitThreshold() {
	var replicas [3]*event.Dispatcher[string]
	set := event.NewSet()
	defer set.Close()
	for i := range replicas {
		replicas[i] = event.New[string](event.Config{})
		set.Add(replicas[i])
	}
	go replicas[0].Post("written")
	go replicas[2].Post("written")
	n, err := set.WaitThreshold(context.Background(), 2) // a majority
	fmt.Println(n, err)
	// Output: 2 <nil>
}

func ExampleProvider() {
	d := event.New[int](event.Config{Depth: 2})
	p := event.ProviderOf(d)
	n := p.PutAll([]int{1, 2, 3}, false)
	fmt.Println(n, d.Stats().Lost)
	// Output: 2 1
}

func ExampleSet() {
	words := event.New[string](event.Config{Name: "words"})
	numbers := event.New[int](event.Config{Name: "numbers"})
	set := event.NewSet()
	defer set.Close()
	if err := set.Add(words, numbers); err != nil {
		fmt.Println(err)
		return
	}
	numbers.Post(1)
	words.Post("a")
	numbers.Post(2)

	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	for ready, err := range set.Ready(ctx) {
		if err != nil {
			break // the context has ended
		}
		switch ready {
		case words:
			w, _ := words.Dequeue()
			fmt.Println("word", w)
			cancel()
		case numbers:
			var buf [8]int
			n := numbers.Poll(buf[:]) // one batch; if there is more, the set says so again
			if n > 0 {
				fmt.Println("numbers", buf[:n])
			}
		}
	}
	// Output:
	// numbers [1 2]
	// word a
}

func ExampleMember() {
	a := event.New[int](event.Config{Name: "a"})
	b := event.New[string](event.Config{Name: "b"})
	set := event.NewSet()
	defer set.Close()
	set.Add(a, b)
	b.Post("x")
	var m event.Member
	m, _ = set.Wait(context.Background())
	fmt.Println(m.Name(), m == b)
	// Output: b true
}

// counter is a source that holds numbers.
type counter struct{ next, n int }

func (c *counter) Drain(dst []int) (n int, signalled bool) {
	for n < len(dst) && c.n > 0 {
		dst[n] = c.next
		c.next++
		c.n--
		n++
	}
	return n, n > 0
}

func (c *counter) Arm() error { return nil } // nothing comes later

func ExampleSource() {
	d := event.New[int](event.Config{})
	event.ProviderOf(d).Attach(&counter{next: 10, n: 3})
	last := 99
	event.ProviderOf(d).PutAfterSources(&last, false)
	first, more, _ := d.Wait(context.Background(), 1)
	fmt.Println(first, more)
	// Output: 10 3
}

func ExampleConfig() {
	d := event.New[int](event.Config{
		Name:     "recvs",
		Depth:    1,
		Overflow: func(err error) { fmt.Println(err) },
	})
	for ev := range 3 {
		fmt.Println(event.ProviderOf(d).Put(&ev, false))
	}
	// Output:
	// true
	// put recvs: overflow: an event was lost: make it deeper, or take events sooner
	// false
	// false
}

func ExampleState() {
	d := event.New[int](event.Config{})
	event.ProviderOf(d).Disable()
	fmt.Println(d.State())
	event.ProviderOf(d).Enable()
	event.ProviderOf(d).SetWaitable(false)
	fmt.Println(d.State(), d.State()&event.Waitable != 0)
	// Output:
	// waitable
	// enabled false
}

func ExampleError() {
	d := event.New[int](event.Config{Name: "empty"})
	_, err := d.Dequeue()
	var e *event.Error
	fmt.Println(errors.As(err, &e), e.Object, errors.Is(err, event.ErrQueueEmpty))
	fmt.Println(err)
	// Output:
	// true empty true
	// dequeue from empty: queue empty: no event is queued
}

func ExampleStats() {
	d := event.New[string](event.Config{Depth: 2})
	for _, word := range []string{"one", "two", "three"} {
		if err := d.Post(word); err != nil {
			fmt.Println(word, "finds it full")
		}
	}
	s := d.Stats()
	fmt.Println(s.Queued, "of", s.Cap, "wait")
	// Output:
	// three finds it full
	// 2 of 2 wait
}
