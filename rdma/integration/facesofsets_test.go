package integration_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/event"
)

// Further ways to wait with a set: its channel, its iterator and a threshold.
func init() {
	faces["channel of a set"] = func(d *event.Dispatcher[rdma.Completion], r *rand.Rand, got func([]rdma.Completion)) error {
		return withSet(d, func(set *event.Set) error {
			late := time.NewTimer(moment(r))
			defer late.Stop()
			for range 1 + r.IntN(20) {
				select {
				case ready, ok := <-set.C():
					if !ok {
						return rdma.ErrClosed
					}
					if err := takeReady(d, ready, got); err != nil {
						return err
					}
				case <-late.C:
					return nil
				}
			}
			return nil
		})
	}
	faces["iterator of a set"] = func(d *event.Dispatcher[rdma.Completion], r *rand.Rand, got func([]rdma.Completion)) error {
		return withSet(d, func(set *event.Set) error {
			ctx, cancel := context.WithTimeout(context.Background(), moment(r))
			defer cancel()
			for ready, err := range set.Ready(ctx) {
				if err != nil {
					return err
				}
				if err := takeReady(d, ready, got); err != nil {
					return err
				}
				if r.IntN(10) == 0 {
					break
				}
			}
			return nil
		})
	}
	faces["threshold of a set"] = func(d *event.Dispatcher[rdma.Completion], r *rand.Rand, got func([]rdma.Completion)) error {
		return withSet(d, func(set *event.Set) error {
			ctx, cancel := context.WithTimeout(context.Background(), moment(r))
			defer cancel()
			n, err := set.WaitThreshold(ctx, 1+r.IntN(4))
			var list [8]rdma.Completion
			for n > 0 {
				k := d.Poll(list[:])
				if k == 0 {
					return fmt.Errorf("the set counted %d events more than there are", n)
				}
				got(list[:k])
				n -= k
			}
			return err
		})
	}
}

func withSet(d event.Member, use func(*event.Set) error) error {
	set := event.NewSet()
	defer set.Close()
	if err := set.Add(d); err != nil {
		return err
	}
	return use(set)
}

// takeReady polls the dispatcher that the set returned once, as a loop over several queues does.
func takeReady(d *event.Dispatcher[rdma.Completion], ready event.Member, got func([]rdma.Completion)) error {
	if ready != event.Member(d) {
		return errors.New("the set returned another dispatcher")
	}
	var list [8]rdma.Completion
	got(list[:d.Poll(list[:])])
	return nil
}
