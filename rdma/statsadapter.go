package rdma

// AdapterStats is what an adapter has done so far, and what it has now.
type AdapterStats struct {
	// Stats is the sum over all endpoints, closed ones included; SendHigh is the maximum.
	Stats
	// Queues is the sum over all completion queues, those of endpoints and closed ones included;
	// High is the maximum.
	Queues QueueStats

	// Established counts connections that were made. Disconnected counts those of them that have
	// ended in order, and Broken those that were lost.
	Established, Disconnected, Broken uint64
	// AsyncLost is [Adapter.AsyncLost].
	AsyncLost uint64

	// What there is now.
	Listeners, Endpoints, Zones, CompletionQueues int
	Regions, Windows                              int
	// RegisteredBytes is the sum of the lengths of all regions. Memory that is registered twice
	// counts twice.
	RegisteredBytes uint64
	// Mappings is how many memory mappings the library has in this process, for all its adapters. The
	// kernel's limit is vm.max_map_count.
	Mappings int
}

// Connections is the number of connections that exist now.
func (s AdapterStats) Connections() uint64 { return s.Established - s.Disconnected - s.Broken }

// Stats returns the counters of the adapter. It visits each endpoint and each region, which takes about a
// millisecond for a thousand of them, and holds no lock that a post or a poll needs for longer than one of
// them takes. It waits for a tenth of a second at most for goroutines that hold what it reads, all of them
// together; what cannot be read then counts as in the call before, and Stale is set. After Close the counts
// stay. It may be called from anywhere.
func (a *Adapter) Stats() AdapterStats { return a.StatsByPart(StatsParts{}) }

// closedEndpoint removes an endpoint, whose counters the adapter keeps.
func (a *Adapter) closedEndpoint(e *Endpoint) {
	last := e.Stats()
	a.mu.Lock()
	defer a.mu.Unlock()
	a.past.ops.add(&last)
	delete(a.objects, e)
}
