package rdma

import (
	"cmp"
	"maps"
	"slices"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/shm"
)

// StatsParts are the functions that [Adapter.StatsByPart] calls for each object of an adapter; those that are nil
// are not called. No lock is held meanwhile. The function must not change or keep the Stats.
type StatsParts struct {
	Endpoint        func(*Endpoint, *Stats)
	CompletionQueue func(*CompletionQueue, QueueStats)
	Zone            func(*Zone, ZoneStats)
}

// ZoneStats is what a zone has now.
type ZoneStats struct {
	Regions, Windows int
	RegisteredBytes  uint64 // see AdapterStats
}

// StatsByPart is [Adapter.Stats] that also tells the counters of each part, from the oldest to the newest: for
// pages and tools that show what a process does. All waits together take a tenth of a second at most, however
// many connections are held; the Stats of such a connection have Stale set. If there is a function for
// endpoints, requests that are done and that nobody has looked for are completed first, as by
// [Endpoint.Outstanding].
func (a *Adapter) StatsByPart(parts StatsParts) AdapterStats {
	a.mu.Lock()
	s := AdapterStats{Stats: a.past.ops, Queues: a.past.queues, AsyncLost: a.AsyncLost(), Mappings: shm.Mappings()}
	s.Stats.ownLatency()
	// The ends are read before the beginnings, so that there are never more of them.
	s.Disconnected, s.Broken = a.met.disconnected.Load(), a.met.broken.Load()
	s.Established = a.met.established.Load()
	var endpoints []*Endpoint
	var zones []*Zone
	for o := range a.objects {
		switch o := o.(type) {
		case *Endpoint:
			endpoints = append(endpoints, o)
		case *Zone:
			zones = append(zones, o)
		case *Listener:
			s.Listeners++
		}
	}
	queues := slices.Collect(maps.Values(a.queues)) // not in the past yet, also if they are closed meanwhile
	a.mu.Unlock()
	s.CompletionQueues, s.Endpoints, s.Zones = len(queues), len(endpoints), len(zones)
	slices.SortFunc(queues, func(x, y *CompletionQueue) int { return cmp.Compare(x.made, y.made) })
	slices.SortFunc(endpoints, func(x, y *Endpoint) int { return cmp.Compare(x.number, y.number) })
	slices.SortFunc(zones, func(x, y *Zone) int { return cmp.Compare(x.number, y.number) })
	p := hca.NewPatience(true)
	for _, q := range queues {
		now := q.stats(p)
		s.Queues.add(now)
		if parts.CompletionQueue != nil {
			parts.CompletionQueue(q, now)
		}
	}
	for _, e := range endpoints {
		if parts.Endpoint != nil {
			e.settle(p)
		}
		now := e.stats(p)
		s.Stats.add(&now)
		if parts.Endpoint != nil {
			parts.Endpoint(e, &now)
		}
	}
	for _, z := range zones {
		now := z.Stats()
		s.Regions += now.Regions
		s.Windows += now.Windows
		s.RegisteredBytes += now.RegisteredBytes
		if parts.Zone != nil {
			parts.Zone(z, now)
		}
	}
	return s
}

// settle completes requests that are done.
func (e *Endpoint) settle(p *hca.Patience) {
	if sess := e.session.Load(); sess != nil {
		if q, ok := sess.qp.(hca.Settler); ok {
			q.Settle(p)
		}
	}
}

// Stats returns what the zone has now. It visits each region. It may be called from anywhere.
func (z *Zone) Stats() (s ZoneStats) {
	s.Regions, s.Windows = z.memory.Counts()
	s.RegisteredBytes = z.memory.Bytes()
	return s
}
