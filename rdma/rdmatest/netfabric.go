package rdmatest

import (
	"context"
	"fmt"
	"net"
	"sync"
	"time"

	"github.com/godapl/godapl/internal/hca"
)

// fabric is the network as one host sees it.
type fabric struct{ h *Host }

// listener is a net.Listener of a host.
type listener struct {
	h       *Host
	address address
	waiting []*call
	closed  bool
	moved   sync.Cond
}

// call is a stream that was dialled and not accepted.
type call struct {
	s    *stream
	over bool
	done chan struct{} // closed when accepted, refused or given up
}

func (c *call) end() {
	if !c.over {
		c.over = true
		close(c.done)
	}
}

// Listen implements rdma.Fabric.
func (f *fabric) Listen(_ context.Context, at string) (net.Listener, error) {
	h := f.h
	h.w.mu.Lock()
	defer h.w.mu.Unlock()
	host, service, err := net.SplitHostPort(at)
	switch {
	case err != nil, host != "" && host != h.name:
		return nil, hca.NewError(hca.BadAddress, "listen", at, "this host is "+h.name)
	case h.dead:
		return nil, hca.NewError(hca.Unreachable, "listen", at, "the host was killed")
	}
	for service == "0" || service == "" {
		if next := fmt.Sprint(h.nextPort); h.listeners[next] == nil {
			service = next
		}
		h.nextPort++
	}
	if h.listeners[service] != nil {
		return nil, hca.ServiceInUse
	}
	l := &listener{h: h, address: address(net.JoinHostPort(h.name, service))}
	l.moved.L = &h.w.mu
	h.listeners[service] = l
	return l, nil
}

// Dial implements rdma.Fabric. The request for a stream travels as bytes do.
func (f *fabric) Dial(ctx context.Context, at string) (net.Conn, error) {
	w := f.h.w
	host, service, err := net.SplitHostPort(at)
	if err != nil {
		return nil, hca.NewError(hca.BadAddress, "dial", at, "an address is host:service")
	}
	w.mu.Lock()
	to := w.known(host)
	if to == nil {
		w.mu.Unlock()
		return nil, hca.NewError(hca.BadAddress, "dial", at, "the world has no host of that name")
	}
	if f.h.dead {
		w.mu.Unlock()
		return nil, hca.NewError(hca.Unreachable, "dial", at, "this host was killed")
	}
	way := f.h.name + ">" + at
	w.dials[way]++
	name := fmt.Sprintf("%s#%d", way, w.dials[way])
	c := &call{done: make(chan struct{})}
	l := w.link(f.h, to)
	p := &plan{what: dialled, name: name, link: l, quiet: true}
	p.do = func() { w.arrive(c, f.h, to, l, service, name, p) }
	w.add(p, After(2*l.travel()))
	w.mu.Unlock()
	w.wakeScheduler()
	select {
	case <-c.done:
	case <-ctx.Done():
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case c.s != nil && ctx.Err() == nil:
		w.held[c.s.ends[0]] = name
		return c.s.ends[0], nil
	case c.s != nil:
		c.s.reset()
		w.sweep()
	}
	c.end()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return nil, hca.Refused
}

// arrive connects a call with the listener; it waits while nothing passes. The caller holds w.mu.
func (w *World) arrive(c *call, from, to *Host, l *Link, service, name string, p *plan) {
	if c.over {
		return
	}
	if !l.passes() {
		w.add(p, After(time.Second)) // as TCP sends it again
		return
	}
	ln := to.listeners[service]
	if ln == nil || to.dead || from.dead {
		c.end()
		return
	}
	c.s = w.newStream(name, from, to, address(from.name+":"+name), ln.address)
	ln.waiting = append(ln.waiting, c)
	ln.moved.Broadcast()
	c.end()
}

func (l *listener) Accept() (net.Conn, error) {
	l.h.w.mu.Lock()
	defer l.h.w.mu.Unlock()
	for len(l.waiting) == 0 && !l.closed {
		l.moved.Wait()
	}
	if l.closed {
		return nil, net.ErrClosed
	}
	c := l.waiting[0]
	l.waiting = l.waiting[1:]
	l.h.w.held[c.s.ends[1]] = c.s.ways[1].name
	return c.s.ends[1], nil
}

func (l *listener) Close() error {
	w := l.h.w
	w.mu.Lock()
	defer w.mu.Unlock()
	if l.closed {
		return net.ErrClosed
	}
	l.closed = true
	for _, c := range l.waiting {
		c.s.reset()
	}
	w.sweep()
	l.waiting = nil
	_, service, _ := net.SplitHostPort(string(l.address))
	delete(l.h.listeners, service)
	l.moved.Broadcast()
	return nil
}

func (l *listener) Addr() net.Addr { return l.address }
