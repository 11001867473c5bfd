package integration_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"runtime"
	"time"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/event"
)

// A face takes some completions out of a dispatcher, within a moment: quiet
// completions wake nobody, so no face may wait for long.
type face func(d *event.Dispatcher[rdma.Completion], r *rand.Rand, got func([]rdma.Completion)) error

// faces are all ways to take completions. One goroutine uses them in turn.
var faces = map[string]face{
	"poll": func(d *event.Dispatcher[rdma.Completion], r *rand.Rand, got func([]rdma.Completion)) error {
		var list [64]rdma.Completion
		for range 1 + r.IntN(20) {
			n := d.Poll(list[:1+r.IntN(len(list))])
			got(list[:n])
			if n == 0 {
				if err := d.Err(); err != nil {
					return err
				}
				runtime.Gosched()
			}
		}
		return nil
	},
	"dequeue": func(d *event.Dispatcher[rdma.Completion], r *rand.Rand, got func([]rdma.Completion)) error {
		for range 1 + r.IntN(20) {
			c, err := d.Dequeue()
			if err != nil {
				return err
			}
			got([]rdma.Completion{c})
		}
		return nil
	},
	"wait": func(d *event.Dispatcher[rdma.Completion], r *rand.Rand, got func([]rdma.Completion)) error {
		c, _, err := d.WaitTimeout(moment(r), 1+r.IntN(4))
		if err == nil {
			got([]rdma.Completion{c})
		}
		return err
	},
	"wait with a context": func(d *event.Dispatcher[rdma.Completion], r *rand.Rand, got func([]rdma.Completion)) error {
		ctx, cancel := context.WithTimeout(context.Background(), moment(r))
		defer cancel()
		for {
			c, _, err := d.Wait(ctx, 1)
			if err != nil {
				return err
			}
			got([]rdma.Completion{c})
		}
	},
	"wait for a batch": func(d *event.Dispatcher[rdma.Completion], r *rand.Rand, got func([]rdma.Completion)) error {
		var list [32]rdma.Completion
		n, err := d.WaitBatchTimeout(moment(r), list[:1+r.IntN(len(list))])
		got(list[:n])
		return err
	},
	"drain": func(d *event.Dispatcher[rdma.Completion], r *rand.Rand, got func([]rdma.Completion)) error {
		ctx, cancel := context.WithTimeout(context.Background(), moment(r))
		defer cancel()
		var list [16]rdma.Completion
		for some, err := range d.Drain(ctx, list[:]) {
			if err != nil {
				return err
			}
			got(some)
			if r.IntN(10) == 0 {
				break
			}
		}
		return nil
	},
	"channel": func(d *event.Dispatcher[rdma.Completion], r *rand.Rand, got func([]rdma.Completion)) error {
		c := d.C()
		defer d.StopChan()
		late := time.NewTimer(moment(r))
		defer late.Stop()
		for range 1 + r.IntN(50) {
			select {
			case ev, ok := <-c:
				if !ok { // the dispatcher was closed
					return rdma.ErrClosed
				}
				got([]rdma.Completion{ev})
			case <-late.C:
				return nil
			}
		}
		return nil
	},
	"batches": func(d *event.Dispatcher[rdma.Completion], r *rand.Rand, got func([]rdma.Completion)) error {
		c := d.Batches(event.BatchConfig{Size: 1 + r.IntN(40), Threshold: r.IntN(4), Within: moment(r)})
		defer d.StopChan()
		late := time.NewTimer(moment(r))
		defer late.Stop()
		for range 1 + r.IntN(10) {
			select {
			case b, ok := <-c:
				if !ok {
					return rdma.ErrClosed
				}
				got(b.Events)
				b.Release()
			case <-late.C:
				return nil
			}
		}
		return nil
	},
	"set": func(d *event.Dispatcher[rdma.Completion], r *rand.Rand, got func([]rdma.Completion)) error {
		set := event.NewSet()
		defer set.Close()
		if err := set.Add(d); err != nil {
			return err
		}
		for range 1 + r.IntN(5) {
			ready, err := set.WaitTimeout(moment(r))
			if err != nil {
				return err
			}
			if ready != event.Member(d) {
				return errors.New("the set returned another dispatcher")
			}
			var list [8]rdma.Completion
			for n := 1; n > 0; {
				n = d.Poll(list[:])
				got(list[:n])
			}
		}
		return nil
	},
}

func moment(r *rand.Rand) time.Duration { return time.Duration(r.IntN(2000)) * time.Microsecond }

// faceNames are in an order that follows from the seed, as a map's does not.
var faceNames = []string{"poll", "dequeue", "wait", "wait with a context", "wait for a batch", "drain", "channel", "batches", "set",
	"channel of a set", "iterator of a set", "threshold of a set"}
