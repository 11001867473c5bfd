package vipl

import (
	"context"
	"slices"
	"sync"

	"github.com/godapl/godapl/rdma"
)

// doors are the listeners of a NIC. A listener exists while somebody waits at its place, so
// that a request finds either a waiter or nobody.
type doors struct {
	opening sync.Mutex // one listener at a time is made or closed

	mu   sync.Mutex
	open map[string]*door // by place
}

type door struct {
	listener *rdma.Listener
	waiters  []*waiter
}

// waiter is a call that waits for a request.
type waiter struct {
	wants func(*greeting) bool
	found chan *request // holds one
}

// request is a peer's request to connect (VIP_CONN_HANDLE).
type request struct {
	nic    *nic
	handle ConnHandle // 0: it has none
	native *rdma.ConnRequest
	greeting

	mu   sync.Mutex
	gone bool // answered
	// refusal is what the peer hears of ConnectReject: why the attributes did not fit, if they did not.
	refusal Return
}

// await waits for a request at a place.
func (n *nic) await(ctx context.Context, place string, wants func(*greeting) bool) (*request, Return) {
	w := &waiter{wants: wants, found: make(chan *request, 1)}
	if err := n.enter(ctx, place, w); err != nil {
		return nil, result(err)
	}
	defer n.leave(place, w)
	select {
	case r := <-w.found:
		return r, Success
	case <-ctx.Done():
	}
	n.drop(place, w)
	select {
	case r := <-w.found: // it came at the last moment
		return r, Success
	default:
	}
	if n.ctx.Err() != nil {
		return nil, InvalidParameter
	}
	return nil, Timeout
}

// enter adds a waiter, and makes the listener if there is none.
func (n *nic) enter(ctx context.Context, place string, w *waiter) error {
	n.doors.opening.Lock()
	defer n.doors.opening.Unlock()
	n.doors.mu.Lock()
	if n.doors.open == nil {
		n.doors.open = map[string]*door{}
	}
	d := n.doors.open[place]
	if d == nil {
		d = &door{}
		n.doors.open[place] = d
	}
	d.waiters = append(d.waiters, w)
	n.doors.mu.Unlock()
	if d.listener != nil {
		return nil
	}
	// A time limit of 0 still has a listener, as the call says.
	var err error
	d.listener, err = n.adapter.Listen(context.WithoutCancel(ctx), place, rdma.ListenConfig{
		Sink: rdma.SinkFunc(func(r *rdma.ConnRequest) bool { return n.arrived(place, r) })})
	if err != nil {
		n.doors.mu.Lock()
		delete(n.doors.open, place)
		n.doors.mu.Unlock()
	}
	return err
}

// arrived gives a request to the first waiter that wants it. It reports false if none does:
// the peer then hears that nobody is there.
func (n *nic) arrived(place string, native *rdma.ConnRequest) bool {
	g, ok := parseGreeting(native.PrivateData())
	if !ok {
		return false
	}
	n.doors.mu.Lock()
	defer n.doors.mu.Unlock()
	d := n.doors.open[place]
	if d == nil {
		return false
	}
	for i, w := range d.waiters {
		if w.wants(&g) {
			d.waiters = slices.Delete(d.waiters, i, i+1)
			w.found <- &request{nic: n, native: native, greeting: g}
			return true
		}
	}
	return false
}

// drop removes a waiter.
func (n *nic) drop(place string, w *waiter) {
	n.doors.mu.Lock()
	defer n.doors.mu.Unlock()
	if d := n.doors.open[place]; d != nil {
		if i := slices.Index(d.waiters, w); i >= 0 {
			d.waiters = slices.Delete(d.waiters, i, i+1)
		}
	}
}

// leave closes the listener behind the last waiter.
func (n *nic) leave(place string, w *waiter) {
	n.drop(place, w)
	n.doors.opening.Lock()
	defer n.doors.opening.Unlock()
	n.doors.mu.Lock()
	d := n.doors.open[place]
	if d == nil || len(d.waiters) > 0 {
		n.doors.mu.Unlock()
		return
	}
	delete(n.doors.open, place)
	n.doors.mu.Unlock()
	d.listener.Close()
}
