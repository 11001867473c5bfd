package integration_test

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mem"
)

// A driver carries out one plan.
type driver struct {
	plan    *plan
	address func(link int) string // to listen at
	hosts   [2]*driveHost
	whose   map[*rdma.Endpoint]*driveEnd
	links   [][2]*driveEnd

	booksMu sync.Mutex

	mu       sync.Mutex
	faults   []string
	posts    int
	failures int
	ended    map[string]int
}

// A driveHost is one adapter with what its connections share.
type driveHost struct {
	d       *driver
	side    int
	adapter *rdma.Adapter
	zone    *rdma.Zone
	srq     *rdma.SharedReceiveQueue
	inbox   *inbox // of srq
	takers  []*taker
	ends    []*driveEnd
	fields  []*field
	closed  atomic.Bool
}

func (d *driver) failf(format string, args ...any) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.faults) < 12 {
		d.faults = append(d.faults, fmt.Sprintf(format, args...))
	}
}

func (d *driver) failed() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.faults) > 0
}

// check is for calls that cannot fail.
func (d *driver) check(err error) {
	if err != nil {
		d.failf("%v", err)
	}
}

// eventually waits until a condition is true, which must become true soon.
func (d *driver) eventually(what string, is func() bool) bool {
	ctx, cancel := shortly()
	defer cancel()
	tick := time.NewTicker(200 * time.Microsecond)
	defer tick.Stop()
	for !is() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			d.failf("%s: not so after %v", what, patience)
			return false
		}
	}
	return true
}

// driveMade returns the result of a call, and ends the test if it failed.
func driveMade[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func (h *driveHost) newField(name string, size int, rights mem.Rights, own bool) *field {
	f := &field{name: fmt.Sprintf("%s (side %d)", name, h.side), own: own}
	if own {
		f.raw = make([]byte, size)
		f.region = driveMade(h.zone.Register(f.raw, rights))
	} else {
		f.region = driveMade(h.zone.Alloc(size, rights))
		f.raw = f.region.Bytes()[:size]
	}
	h.fields = append(h.fields, f)
	return f
}

// runPlan carries a plan out and returns what was wrong.
func runPlan(p *plan, address func(link int) string, open func() *rdma.Adapter) *driver {
	d := &driver{plan: p, address: address, whose: map[*rdma.Endpoint]*driveEnd{}, ended: map[string]int{}}
	draw := rand.New(rand.NewPCG(p.takers, 1))
	for side := range 2 {
		h := &driveHost{d: d, side: side, adapter: open()}
		h.zone = driveMade(h.adapter.NewZone())
		if p.shared[side] {
			h.srq = driveMade(h.zone.NewSharedReceiveQueue(rdma.SharedReceiveConfig{Depth: recvPlaces}))
			h.inbox = newInbox(d, h.newField("shared receive", recvPlaces*recvSize, mem.Local, false), true)
		}
		d.hosts[side] = h
	}
	for i := range p.links {
		var pair [2]*driveEnd
		for side, h := range d.hosts {
			pair[side] = newDriveEnd(d, h, &p.links[i], i, side)
			h.ends = append(h.ends, pair[side])
		}
		pair[0].peer, pair[1].peer = pair[1], pair[0]
		d.links = append(d.links, pair)
	}
	for _, h := range d.hosts {
		h.makeEndpoints()
	}
	var taking, working, supplying sync.WaitGroup
	over := make(chan struct{})
	for _, h := range d.hosts {
		for _, k := range h.takers {
			draw := branch(draw)
			taking.Go(func() { k.run(h, draw) })
		}
		if h.srq != nil {
			supplying.Go(func() { h.inbox.keep(over, h.srq.PostRecv, func() {}) })
		}
	}
	for i := range d.links {
		draw := branch(draw)
		working.Go(func() { d.runLink(d.links[i], draw) })
	}
	working.Wait()
	close(over)
	supplying.Wait()
	for _, h := range d.hosts {
		for _, k := range h.takers {
			k.stop.Store(true)
		}
	}
	taking.Wait()
	for _, h := range d.hosts {
		h.close()
	}
	return d
}

// makeEndpoints makes the queues and endpoints as the plan has it.
func (h *driveHost) makeEndpoints() {
	const each = 256
	queue := func(n int) *rdma.CompletionQueue {
		k := &taker{queue: driveMade(h.adapter.NewCompletionQueue(rdma.CompletionQueueConfig{Depth: n * each}))}
		h.takers = append(h.takers, k)
		return k.queue
	}
	var all *rdma.CompletionQueue
	if h.d.plan.queues == 2 {
		all = queue(2 * len(h.ends))
	}
	for _, s := range h.ends {
		requests, receives := all, all
		switch h.d.plan.queues {
		case 0:
			requests, receives = queue(1), queue(1)
		case 1:
			requests = queue(2)
			receives = requests
		}
		s.endpoint = driveMade(h.adapter.NewEndpoint(rdma.EndpointConfig{
			Zone: h.zone, SendDepth: driveDepth, RecvDepth: recvPlaces + 2, SharedReceives: h.srq,
			SendCQ: requests, RecvCQ: receives, SolicitedOnly: !s.byCalls && s.link%4 == 3,
		}))
		h.d.whose[s.endpoint] = s
	}
}

// close closes the objects of an adapter, and checks once more the memory that must not have
// changed.
func (h *driveHost) close() {
	gone := h.closed.Load()
	for _, s := range h.ends {
		h.d.check(s.endpoint.Close())
		for _, w := range s.windows {
			h.d.check(w.Free())
		}
	}
	for _, f := range h.fields {
		h.d.check(f.free())
		h.d.check(f.untouched())
	}
	for _, k := range h.takers {
		h.d.check(k.queue.Close())
	}
	if h.srq != nil {
		h.d.check(h.srq.Close())
	}
	h.d.check(h.zone.Close())
	if !gone {
		h.d.check(h.adapter.CloseIdle())
	}
}
