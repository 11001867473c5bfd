package integration_test

import (
	"sync"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mem"
)

// driveEnds are what may happen to a connection in the middle of its work. r is the
// side where it happens.
var driveEnds = []struct {
	name     string
	orderly  bool // all posts of r are executed
	destroys bool // the memory or the endpoint cannot be used again
	receives bool // affects receives, so the receive queue must not be shared
	do       func(r *driveRound)
}{
	{name: "nothing", orderly: true},
	{name: "graceful disconnect", orderly: true, do: func(r *driveRound) { r.endpoint.BeginShutdown() }},
	{name: "abrupt disconnect", do: func(r *driveRound) { r.endpoint.Abort() }},
	{name: "abrupt disconnect by both", do: func(r *driveRound) { r.byBoth(false) }},
	{name: "graceful disconnect by both", do: func(r *driveRound) { r.byBoth(true) }},
	{name: "a read with a key that is none", do: func(r *driveRound) {
		there := r.peer.constant.region.Remote()
		there.Key ^= 0x5a5a5a00
		r.failingRead(there.Slice(0, 8))
	}},
	{name: "a message longer than its receive", receives: true, do: func(r *driveRound) {
		ctx, cancel := shortly()
		defer cancel()
		if err := r.conn.Send(ctx, r.constant.region.Slice(0, recvSize+1)); err != nil {
			r.wantEnd("a long message", err)
		}
	}},
	{name: "unbinding what the peer reads", do: func(r *driveRound) {
		r.endpoint.PostBind(rdma.Bind{Window: r.windows[0], Flags: rdma.NoCompletion, Cookie: r.strayCookie()})
	}},
	{name: "close", destroys: true, do: func(r *driveRound) { r.closeEndpoint() }},
	{name: "free what is sent", destroys: true, do: func(r *driveRound) { r.free(r.out) }},
	{name: "free what is received into", destroys: true, receives: true, do: func(r *driveRound) { r.free(r.inbox.field) }},
	{name: "free what is fetched into", destroys: true, do: func(r *driveRound) { r.free(r.into) }},
	{name: "free what the peer reads", destroys: true, do: func(r *driveRound) { r.free(r.constant) }},
	{name: "free what the peer writes", destroys: true, do: func(r *driveRound) { r.free(r.target) }},
	{name: "close the adapter", destroys: true, do: func(r *driveRound) { r.host.closeAdapter() }},
}

func (r *driveRound) byBoth(graceful bool) {
	end := (*rdma.Endpoint).Abort
	if graceful {
		end = (*rdma.Endpoint).BeginShutdown
	}
	var both sync.WaitGroup
	both.Go(func() { end(r.endpoint) })
	end(r.peer.endpoint)
	both.Wait()
}

func (r *driveRound) free(f *field) { r.d.check(f.free()) }

// failingRead reads memory for which the peer has granted no right. That ends the connection.
func (r *driveRound) failingRead(from mem.Remote) {
	ctx, cancel := shortly()
	defer cancel()
	_, err := r.conn.Read(ctx, r.calls.region.Slice(callPlaces*smallSize-8, 8), from)
	if err == nil {
		r.d.failf("link %d side %d: a read with a key that is none succeeded", r.link, r.side)
	} else {
		r.wantEnd("a read with a key that is none", err)
	}
}

// strayCookie is the cookie of a request that belongs to no lane.
func (r *driveRound) strayCookie() uint64 { return uint64(r.number)<<48 | 0xffff<<32 }

// closeEndpoint closes the endpoint of a side for good.
func (s *driveEnd) closeEndpoint() {
	s.closed.Store(true)
	if err := s.endpoint.Close(); err != nil {
		s.d.failf("link %d side %d: close: %v", s.link, s.side, err)
	}
}

// closeAdapter closes the adapter with all that is on it.
func (h *driveHost) closeAdapter() {
	h.closed.Store(true)
	for _, s := range h.ends {
		s.closed.Store(true)
	}
	for _, f := range h.fields {
		f.gone()
	}
	if err := h.adapter.Close(); err != nil {
		h.d.failf("closing adapter %d: %v", h.side, err)
	}
	for _, f := range h.fields {
		h.d.check(f.free())
	}
}
