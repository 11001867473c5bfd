package rdmatest

import (
	"github.com/godapl/godapl/rdma"
)

// Pair connects two hosts: each opens an adapter with a zone of its own (Conn.Zone), b's host listens, and
// a's host dials. If the connection cannot be made, the test fails at once. The world closes all of it.
func (w *World) Pair(dialer, listener *Host) (a, b *rdma.Conn) {
	w.t.Helper()
	zone := func(h *Host) *rdma.Zone {
		adapter, err := h.Open(w.ctx, rdma.OpenConfig{})
		check(w.t, err)
		zone, err := adapter.NewZone()
		check(w.t, err)
		return zone
	}
	x, y := zone(dialer), zone(listener)
	ln, err := y.Adapter().Listen(w.ctx, listener.name+":0", rdma.ListenConfig{})
	check(w.t, err)
	defer ln.Close()
	accepted := make(chan error, 1)
	go func() {
		request, ok := <-ln.Requests()
		if !ok {
			accepted <- nil // the dialer has failed
			return
		}
		var err error
		b, err = request.Accept(w.ctx, rdma.EndpointConfig{Zone: y})
		accepted <- err
	}()
	a, err = x.Adapter().Dial(w.ctx, ln.Addr().String(), rdma.EndpointConfig{Zone: x})
	if err != nil {
		ln.Close()
	}
	acceptErr := <-accepted
	check(w.t, err)
	check(w.t, acceptErr)
	_ = ln.Close()
	w.rest() // the caller does not race with what the adapters begin by themselves
	return a, b
}
