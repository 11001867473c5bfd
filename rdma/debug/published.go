package debug

import (
	"slices"
	"sync"
	"time"

	"github.com/godapl/godapl/rdma"
)

// A viewer has the adapters of a page, and what it saw of them before.
type viewer struct {
	mu   sync.Mutex // one look at a time
	seen map[place]sample

	lists    sync.Mutex // a look does not hold it: what it calls may wait for a goroutine that changes a list
	adapters []*rdma.Adapter
	shown    []*shown // see Show
}

// place is an adapter, or an endpoint of it.
type place struct {
	adapter  *rdma.Adapter
	endpoint int // 0: the adapter
}

var published viewer

// Publish shows the adapter on the page, until the program calls the function that it returns. That
// should be before the adapter is closed. Both may be called from anywhere.
func Publish(a *rdma.Adapter) (remove func()) {
	published.change(func(list []*rdma.Adapter) []*rdma.Adapter { return append(list, a) })
	return sync.OnceFunc(func() {
		published.change(func(list []*rdma.Adapter) []*rdma.Adapter {
			i := slices.Index(list, a)
			return slices.Delete(list, i, i+1)
		})
	})
}

func (v *viewer) change(f func([]*rdma.Adapter) []*rdma.Adapter) {
	v.lists.Lock()
	defer v.lists.Unlock()
	v.adapters = f(v.adapters)
}

// listed is what a look shows.
func (v *viewer) listed() ([]*rdma.Adapter, []*shown) {
	v.lists.Lock()
	defer v.lists.Unlock()
	return slices.Clone(v.adapters), slices.Clone(v.shown)
}

// look takes a snapshot. Another look may be under way, so the time is that behind the lock.
func (v *viewer) look() *Snapshot {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.take(time.Now())
}

// take forgets endpoints that are gone. The caller holds v.mu.
func (v *viewer) take(now time.Time) *Snapshot {
	s := &Snapshot{Time: now, Adapters: []Adapter{}, Conns: []Conn{}, Zones: []Zone{}, Queues: []Queue{}}
	seen := make(map[place]sample, len(v.seen))
	adapters, shown := v.listed()
	for _, a := range adapters {
		name := a.Name()
		row := adapterOf(a, a.StatsByPart(rdma.StatsParts{
			Endpoint: func(e *rdma.Endpoint, x *rdma.Stats) {
				c := connOf(name, e, x)
				p := place{a, c.Endpoint}
				last := v.seen[p]
				if !c.Stale {
					last = last.next(now, counts{c.Operations, c.Bytes, c.ReceiveWaits, c.SendStalls, c.Requests > 0 || c.waits != ""})
				}
				seen[p] = last
				c.OpsPerSecond, c.BytesPerSecond = last.opRate, last.byteRate
				if !last.moved.IsZero() {
					c.Idle = now.Sub(last.moved)
				}
				if !last.busy.IsZero() {
					c.busy = now.Sub(last.busy)
				}
				c.Note = note(&c, last)
				s.Conns = append(s.Conns, c)
			},
			CompletionQueue: func(q *rdma.CompletionQueue, x rdma.QueueStats) { s.Queues = append(s.Queues, queueOf(name, q, x)) },
			Zone:            func(z *rdma.Zone, x rdma.ZoneStats) { s.Zones = append(s.Zones, zoneOf(name, z, x)) },
		}))
		p := place{adapter: a}
		seen[p] = v.seen[p].next(now, counts{ops: row.Operations, bytes: row.Bytes})
		row.OpsPerSecond, row.BytesPerSecond = seen[p].opRate, seen[p].byteRate
		s.Adapters = append(s.Adapters, row)
	}
	for _, x := range shown {
		s.Shown = append(s.Shown, Object{x.name, x.facts()})
	}
	s.Total, s.TotalQueues = len(s.Conns), len(s.Queues)
	v.seen = seen
	return s
}
