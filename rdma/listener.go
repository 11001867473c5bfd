package rdma

import (
	"context"
	"net"
	"sync"

	"github.com/godapl/godapl/internal/hca"
)

// ListenConfig describes a listener. The zero value is valid.
type ListenConfig struct {
	// Backlog is the number of requests that may wait in Listener.Requests; further ones are
	// refused. 0: 1024. A request that waits may hold a descriptor. Not used with a sink.
	Backlog int
	// Sink takes the requests. nil: they go to the channel Listener.Requests.
	Sink *Sink[ConnRequest]
	// Interop is for peers that use another implementation.
	Interop Interop
}

const defaultBacklog = 1024

// Listener takes connection requests (uDAPL: PSP).
type Listener struct {
	adapter  *Adapter
	hca      hca.Listener
	sink     *Sink[ConnRequest]
	requests chan *ConnRequest // closed and empty with a sink

	mu     sync.Mutex // also orders sends to requests before its end
	closed bool
	puts   sync.WaitGroup // calls of the sink; begun under mu, and not behind closed
}

// Listen takes connection requests at address, host:service (any text with an adapter over a
// [Fabric]) (uDAPL: dat_psp_create). An empty host is every address, service 0 picks a free
// one (uDAPL: dat_psp_create_any): [Listener.Addr] tells which. Services are 64 bits wide;
// over a network those up to 65535 are TCP ports. ErrServiceInUse if the service has a
// listener, ErrBadAddress if the address is malformed. A listener at every address and one at a
// single address of the same service are refused by TCP on Linux; the adapters without a network,
// soft-loop and soft-shm, take both, and give peers that name the single address to its listener.
// The context ends the call, not the listener.
func (a *Adapter) Listen(ctx context.Context, address string, cfg ListenConfig) (*Listener, error) {
	const op = "listen"
	if over(ctx) {
		return nil, contextError(ctx, op, addressName(address), nothingBegun)
	}
	l := &Listener{adapter: a, sink: cfg.Sink}
	switch {
	case cfg.Backlog < 0:
		return nil, hca.NewError(hca.Invalid, op, addressName(address), "the backlog is negative")
	case cfg.Backlog == 0:
		cfg.Backlog = defaultBacklog
	}
	l.requests = make(chan *ConnRequest, cfg.Backlog)
	if l.sink != nil {
		close(l.requests)
	}
	l.mu.Lock() // requests wait until the listener is complete
	h, err := a.hca.Listen(ctx, hca.ListenConfig{Address: address, OnRequest: l.arrived, SpeakAfter: cfg.Interop.SpeakAfter})
	l.hca = h
	l.closed = err != nil // a part of it may have taken a request before another part failed
	l.mu.Unlock()
	if err != nil {
		return nil, hca.Named(err, op, addressName(address))
	}
	if err := a.add(op, l); err != nil {
		l.end()
		return nil, hca.Named(err, op, addressName(address))
	}
	return l, nil
}

// arrived delivers a request, or refuses it if there is no room.
func (l *Listener) arrived(cr hca.ConnRequest) bool {
	if !l.offered(cr) {
		l.adapter.logRefused(func() string { return cr.Remote() }, hca.NewError(hca.Refused, "listen", l.named(cr), noRoom))
		return false
	}
	return true
}

// named is the listener in the error of a request; one that failed has no address of its own.
func (l *Listener) named(cr hca.ConnRequest) string {
	if l.hca == nil {
		return cr.Local()
	}
	return l.hca.Addr()
}

const noRoom = "the listener takes no request now: it is closed or has no room"

// offered delivers a request if there is room.
func (l *Listener) offered(cr hca.ConnRequest) bool {
	r := &ConnRequest{listener: l, cr: cr}
	if !l.take(r) {
		return false
	}
	if c, ok := cr.(hca.Leaver); ok && l.sink == nil {
		c.OnLeave(func() { l.drop(r) })
	}
	return true
}

// drop removes a waiting request whose peer has given up. It stays in a program's dispatcher
// and in a closed channel, where an answer to it fails.
func (l *Listener) drop(gone *ConnRequest) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return
	}
	var rest []*ConnRequest
	for range len(l.requests) {
		select {
		case r := <-l.requests:
			if r != gone {
				rest = append(rest, r)
			}
		default: // the program has received some concurrently
		}
	}
	for _, r := range rest {
		l.requests <- r // never blocks: they were in this channel before
	}
}

// take puts a request into the channel or the sink. No lock is held while the sink has it: a function of the program's
// may hand the request to another listener.
func (l *Listener) take(r *ConnRequest) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return false
	}
	if l.sink != nil {
		l.puts.Add(1)
		l.mu.Unlock()
		defer l.mu.Lock()
		defer l.puts.Done()
		return l.sink.put(r) == nil
	}
	select {
	case l.requests <- r:
		return true
	default:
		return false
	}
}

// Adapter is the adapter that the listener belongs to.
func (l *Listener) Adapter() *Adapter { return l.adapter }

// Addr is the address with the actual service. Its String is host:service, which
// [Adapter.Dial] takes; its Network is the adapter's name.
func (l *Listener) Addr() net.Addr { return address{l.adapter.name, l.hca.Addr()} }

// Requests is the channel of arriving requests. Close closes it; requests that it still holds
// remain valid. Each request must be accepted or rejected. A request whose peer gives up is
// removed from the channel; RDMA devices do not report that. With a sink, the channel is
// closed and empty.
func (l *Listener) Requests() <-chan *ConnRequest { return l.requests }

// Close stops taking requests (uDAPL: dat_psp_free); peers that connect later get ErrRefused.
// Requests that were delivered and connections are not affected.
func (l *Listener) Close() error {
	err := l.shut()
	l.adapter.remove(l)
	return err
}

func (l *Listener) shut() error {
	l.mu.Lock()
	if l.closed {
		l.mu.Unlock()
		return nil
	}
	l.closed = true
	l.mu.Unlock()
	l.puts.Wait()
	err := hca.Named(l.hca.Close(), "close", l.String())
	if l.sink == nil {
		close(l.requests) // arrived sends no more
	}
	return err
}

func (l *Listener) kind() string { return kindListener }

func (l *Listener) end() { l.shut() }
