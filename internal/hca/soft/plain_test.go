package soft_test

import (
	"context"
	"runtime"
	"sync"
	"testing"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/hcatest"
	"github.com/godapl/godapl/internal/hca/soft"
	"github.com/godapl/godapl/internal/hca/soft/softtest"
)

// TestPlainPostsConform runs the suite and posts every request that has a plain form in that form.
func TestPlainPostsConform(t *testing.T) {
	for _, path := range []string{"loop", "tcp"} {
		d := soft.Driver(path)
		t.Run(path, func(t *testing.T) {
			hcatest.Run(t, hcatest.Harness{
				Name: d.Names()[0],
				Open: func(t hcatest.TB, opt hca.Options) hca.Adapter {
					a, err := d.Open(context.Background(), d.Names()[0], opt)
					if err != nil {
						t.Fatalf("open: %v", err)
					}
					return hcatest.PlainPosts(a, 1)
				},
				NoAllocations: true,
			})
		})
	}
}

// TestFullQueuesKeepStep has a completion queue exactly as deep as the queues that feed it. A poster that finds
// room must find room for the entry too, although another goroutine polls. Each goroutine yields when it has
// found nothing to do for a while: with one processor the other would otherwise wait a time slice for every two
// writes.
func TestFullQueuesKeepStep(t *testing.T) {
	const depth, writes, idle = 2, 50_000, 256
	x, y := softtest.Connect(t, "loop", depth, 4096)
	var wg sync.WaitGroup
	wg.Go(func() {
		full := 0
		seg := hca.Segment{Addr: x.MR.Addr(), Len: 8, Key: x.MR.LKey()}
		for i := uint64(0); i < writes; {
			switch err := x.QP.(hca.PlainPoster).PostPlainWrite(i, 0, seg, y.MR.Addr(), y.MR.RKey()); err {
			case nil:
				i++
			default:
				if err.(*hca.Error).Code != hca.QueueFull {
					t.Error(err)
					return
				}
				if full++; full%idle == 0 {
					runtime.Gosched()
				}
			}
		}
	})
	var wc [depth]hca.WC
	empty := 0
	for next := uint64(0); next < writes && !t.Failed(); {
		n := x.SendCQ.Poll(wc[:])
		if n == 0 {
			if empty++; empty%idle == 0 {
				runtime.Gosched()
			}
		}
		for _, c := range wc[:n] {
			if c.ID != next || c.Status != hca.StatusOK {
				t.Fatalf("entry %d, %v, where %d was due", c.ID, c.Status, next)
			}
			next++
		}
	}
	wg.Wait()
}
