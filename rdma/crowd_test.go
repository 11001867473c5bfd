package rdma_test

import (
	"encoding/binary"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/event"
)

// TestACrowdComesAndGoes: connections of one adapter, each with a consumer that sleeps alone, are used by few and by many at a
// time. A consumer changes where it sleeps when many others sleep and wake, and when they stop. No message is lost or doubled.
func TestACrowdComesAndGoes(t *testing.T) {
	type face struct {
		name string
		next func(*side) rdma.Completion
	}
	faces := []face{
		{"Wait", func(end *side) rdma.Completion {
			c, _, err := end.conn.RecvCompletions().WaitTimeout(time.Minute, 1)
			if err != nil {
				t.Error(err)
			}
			return c
		}},
		{"C", func(end *side) rdma.Completion { return <-end.conn.RecvCompletions().C() }},
		{"Batches", nextBatch},
	}
	for _, adapter := range []string{"soft-shm", "soft-tcp"} {
		if adapter == "soft-shm" && runtime.GOOS != "linux" {
			continue
		}
		t.Run(adapter, func(t *testing.T) {
			const pairs, trips = 24, 150
			a := open(t, adapter)
			var all [pairs]struct{ x, y *side }
			for i := range all {
				all[i].x, all[i].y = sideOf(t, a), sideOf(t, a)
				join(t, all[i].x, all[i].y, rdma.EndpointConfig{Zone: all[i].x.zone}, rdma.EndpointConfig{Zone: all[i].y.zone})
				for _, end := range []*side{all[i].x, all[i].y} {
					event.ProviderOf(end.conn.RecvCompletions()).SetBurst(-1)
					must(t, end.conn.PostRecv(rdma.Recv{Into: end.mem.Slice(64, 64)}))
				}
			}
			var sent [pairs]uint64
			trip := func(end *side, next func(*side) rdma.Completion, number uint64, first bool) bool {
				ping := func() bool {
					binary.BigEndian.PutUint64(end.mem.Bytes(), number)
					return end.conn.PostSend(rdma.Send{From: end.mem.Slice(0, 64), Flags: rdma.NoCompletion}) == nil
				}
				wait := func() bool {
					c := next(end)
					got := binary.BigEndian.Uint64(end.mem.Bytes()[64:])
					return c.Op == rdma.OpRecv && c.Err() == nil && got == number &&
						end.conn.PostRecv(rdma.Recv{Into: end.mem.Slice(64, 64)}) == nil
				}
				if first {
					return ping() && wait()
				}
				return wait() && ping()
			}
			for phase, active := range []int{1, pairs, 2, pairs, 1} {
				var running sync.WaitGroup
				for i := range active {
					begin, f := sent[i], faces[i%len(faces)]
					sent[i] += trips
					for first, end := range map[bool]*side{true: all[i].x, false: all[i].y} {
						running.Go(func() {
							for n := begin; n < begin+trips; n++ {
								if !trip(end, f.next, n, first) {
									t.Errorf("%s, phase %d, connection %d: message %d is missing", f.name, phase, i, n)
									return
								}
							}
						})
					}
				}
				running.Wait()
			}
		})
	}
}
