package rdma

import (
	"bytes"
	"context"

	"github.com/godapl/godapl/internal/hca"
)

// ConnConfig goes with the connecting of an endpoint that the program has made:
// [Endpoint.Connect], [ConnRequest.AcceptOn] and their Async forms. The zero value is
// good.
type ConnConfig struct {
	// Private goes to the peer along with the request or the answer, at most
	// Attributes.MaxPrivateData bytes. It may be reused once the call has returned.
	Private []byte
}

// Connect connects to whoever listens at address, host:service (uDAPL:
// dat_ep_connect). It waits for the peer's answer or
// until ctx is done. Ten seconds are the limit if ctx has no deadline, with every
// adapter (and [OpenConfig].ListenWait besides): where a peer's program may think longer,
// say so with one. Receives
// that were posted before are then in place.
//
// If it fails, the endpoint is disconnected and its receives are flushed.
// ErrRejected carries the peer's private data. ErrTimeout comes of ctx or of
// that limit, ErrCanceled of ctx, ErrDisconnected of [Endpoint.Abort].
// ErrRefused: nobody accepted. ErrUnreachable, ErrBadAddress: see there.
// ErrState: the endpoint is not unconnected or has no zone. ErrInvalid: too much
// private data. After the last two nothing has changed, nor if ctx is done at
// the call.
func (e *Endpoint) Connect(ctx context.Context, address string, cfg ConnConfig) (*Conn, error) {
	return e.connect(ctx, "connect", address, cfg.Private)
}

// connect is Connect for a call of the program.
func (e *Endpoint) connect(ctx context.Context, op, address string, private []byte) (*Conn, error) {
	if err := e.adapter.checkPrivate(private); err != nil {
		return nil, hca.Named(err, op, e.toward(address))
	}
	if over(ctx) {
		return nil, contextError(ctx, op, e.toward(address), nothingBegun)
	}
	ctx, l, err := e.begin(ctx, StateConnecting, nil)
	if err != nil {
		return nil, hca.Named(err, op, e.toward(address))
	}
	c, err := e.attempted(l, l.qp.Connect(ctx, address, hca.ConnParams{Private: private}))
	return c, hca.Named(err, op, e.toward(address))
}

// ConnectAsync is Connect that does not wait: when it returns without an error,
// the endpoint is connecting, and done is called once, on another goroutine, with
// what Connect would have returned. What it refuses itself are errors in the
// arguments and the state; nothing has changed then. A context that is done at the
// call is told to done. done must not block, nor
// close or reset the endpoint: Close waits until it has returned.
func (e *Endpoint) ConnectAsync(ctx context.Context, address string, cfg ConnConfig, done func(*Conn, error)) error {
	const op = "connect"
	switch {
	case ctx == nil:
		return contextError(ctx, op, e.toward(address), "")
	case done == nil:
		return hca.NewError(hca.Invalid, op, e.toward(address), "done is nil, and nobody would hear what has come of it")
	}
	if err := e.adapter.checkPrivate(cfg.Private); err != nil {
		return hca.Named(err, op, e.toward(address))
	}
	e.attempts.Add(1)
	ctx, l, err := e.begin(ctx, StateConnecting, nil)
	if err != nil {
		e.attempts.Done()
		return hca.Named(err, op, e.toward(address))
	}
	private := bytes.Clone(cfg.Private)
	go func() {
		defer e.attempts.Done()
		c, err := e.attempted(l, l.qp.Connect(ctx, address, hca.ConnParams{Private: private}))
		done(c, hca.Named(err, op, e.toward(address)))
	}()
	return nil
}

// begin starts an attempt: it makes the link and hands it the receives that
// were kept. The context it returns also ends with BeginShutdown, Abort and Close.
func (e *Endpoint) begin(ctx context.Context, to State, private []byte) (context.Context, *link, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	switch {
	case e.State() == StateClosed:
		return nil, nil, e.closedError("")
	case e.State() != StateUnconnected:
		return nil, nil, hca.NewError(hca.State, "", "", e.object()+" is "+e.State().String()+"; it must be unconnected (Reset leads there)")
	case e.cfg.Zone == nil:
		return nil, nil, hca.NewError(hca.State, "", "", e.object()+" has no zone: set EndpointConfig.Zone, or call Modify")
	}
	l, err := newLink(e)
	if err != nil {
		return nil, nil, err
	}
	ctx, l.abort = context.WithCancelCause(ctx)
	l.private = private
	e.handOver(l)
	e.link.Store(l)
	e.state.Store(uint32(to))
	return ctx, l, nil
}

// attempted ends an attempt that begin started.
func (e *Endpoint) attempted(l *link, err error) (*Conn, error) {
	l.abort(nil)
	if err == nil {
		if c := l.conn.Load(); c != nil {
			return c, nil
		}
		err = hca.NewError(hca.Internal, "", "", "the adapter has not told that the connection is established")
	}
	e.disconnected(l)
	l.line.release()
	return nil, err
}

// connected and disconnected are the adapter's word on l.
func (e *Endpoint) connected(l *link, c *Conn) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.link.Load() != l {
		return
	}
	e.conn.Store(c)
	if s := e.State(); s == StateConnecting || s == StateAccepting {
		e.state.Store(uint32(StateConnected))
	}
}

func (e *Endpoint) disconnected(l *link) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.link.Load() == l && e.State() != StateClosed {
		e.state.Store(uint32(StateDisconnected))
	}
}
