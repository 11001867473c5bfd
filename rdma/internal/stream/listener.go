package stream

import (
	"context"
	"net"
	"sync"
	"time"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/rdma"
)

// Backlog is how many connections a listener holds that Accept has not returned, those included
// that are not established yet. When there are so many and another peer asks, the oldest that is not established
// after slowTime is given up: its peer may be silent for long, and nobody shall wait for that.
const Backlog = 256

// waiting is how many requests wait for a place. It is as many as wait for a net.Listener on Linux.
const waiting = 4096

// Listener takes connections. All methods may be called concurrently.
type Listener struct {
	network string
	ln      *rdma.Listener
	begin   func(*rdma.ConnRequest) (*Attempt, error)
	ready   chan made
	places  chan struct{} // one for each connection that is begun
	ctx     context.Context
	cancel  context.CancelFunc
	work    sync.WaitGroup
	once    sync.Once
	begun   attempts
}

// Attempt is a connection that a listener begins.
type Attempt struct {
	// Endpoint is what the request is accepted on, with Private as the private data.
	Endpoint *rdma.Endpoint
	Private  []byte
	// Made makes the connection that is established. After an error Free is called.
	Made func(*rdma.Conn) (net.Conn, error)
	// Free gives back what the attempt has. It is called once, unless Made succeeds.
	Free func()
}

type made struct {
	net.Conn
	endpoint *rdma.Endpoint
}

// ErrNoAdapter is the error of a call that needs an adapter and has none.
var ErrNoAdapter = &rdma.Error{Op: "use", Object: "adapter", Code: rdma.ErrInvalid, Detail: "the adapter is nil: rdma.Open opens one"}

// OpError is the error of a call for an address.
func OpError(op, network, address string, err error) error {
	return &net.OpError{Op: op, Net: network, Addr: Addr{network, address}, Err: err}
}

// Listen takes requests at address. begin is called for each, and rejects it with an error. The
// network is for errors. Requests are answered as they arrive, up to Backlog at a time, so no peer
// waits for another that is slow to begin, and Accept waits for none of them: see Backlog.
func Listen(ctx context.Context, a *rdma.Adapter, network, address string, begin func(*rdma.ConnRequest) (*Attempt, error)) (*Listener, error) {
	// A burst of requests waits here until serve comes to it, rather than being refused.
	ln, err := a.Listen(ctx, address, rdma.ListenConfig{Backlog: waiting})
	if err != nil {
		return nil, OpError("listen", network, address, err)
	}
	l := &Listener{network: network, ln: ln, begin: begin, ready: make(chan made, Backlog), places: make(chan struct{}, Backlog)}
	l.ctx, l.cancel = context.WithCancel(context.Background())
	l.work.Go(hca.Labeled(a.Name(), "accept", l.serve))
	return l, nil
}

// Accept returns the next connection, and waits for one.
func (l *Listener) Accept() (net.Conn, error) {
	select {
	case c := <-l.ready:
		<-l.places
		return c.Conn, nil
	case <-l.ctx.Done():
		return nil, l.opError("accept")
	}
}

// Addr is the address with the real service.
func (l *Listener) Addr() net.Addr { return l.ln.Addr() }

// Close ends the listener, and the connections that Accept has not returned. It waits until their
// attempts have ended.
func (l *Listener) Close() error {
	err := l.opError("close")
	l.once.Do(func() {
		err = nil
		_ = l.ln.Close()
		l.cancel()
		l.work.Wait()
		for {
			select {
			case c := <-l.ready:
				_ = c.endpoint.Abort()
				_ = c.Close()
			default:
				return
			}
		}
	})
	return err
}

func (l *Listener) opError(op string) error {
	return &net.OpError{Op: op, Net: l.network, Addr: l.Addr(), Err: net.ErrClosed}
}

func (l *Listener) serve() {
	defer l.cancel()
	for r := range l.ln.Requests() {
		if !l.place() {
			_ = r.Reject(nil)
		} else if !l.answer(r) {
			_ = r.Reject(nil)
			<-l.places
		}
	}
}

// place waits for a place, and reports false if the listener is closed.
func (l *Listener) place() bool {
	for {
		select {
		case l.places <- struct{}{}:
			return true
		default:
		}
		// An attempt that is given up leaves its place soon, unless it was established at that moment.
		slow := time.NewTimer(l.begun.giveUp())
		select {
		case l.places <- struct{}{}:
			slow.Stop()
			return true
		case <-slow.C:
		case <-l.ctx.Done():
			slow.Stop()
			return false
		}
	}
}

// answer accepts a request, unless that is impossible.
func (l *Listener) answer(r *rdma.ConnRequest) bool {
	t, err := l.begin(r)
	if err != nil {
		return false
	}
	l.work.Add(1)
	ctx, end := l.begun.add(l.ctx)
	err = r.AcceptAsync(ctx, t.Endpoint, rdma.ConnConfig{Private: t.Private}, func(rc *rdma.Conn, err error) {
		end()
		var c net.Conn
		if err == nil {
			c, err = t.Made(rc)
		}
		if err != nil {
			go func() { // the endpoint cannot be closed in here
				defer l.work.Done()
				t.Free()
				<-l.places
			}()
			return
		}
		defer l.work.Done()
		l.ready <- made{c, t.Endpoint}
	})
	if err != nil {
		end()
		l.work.Done()
		t.Free()
		return false
	}
	return true
}
