package rdma

import (
	"bytes"
	"context"

	"github.com/godapl/godapl/internal/hca"
)

// ConnConfig configures [Endpoint.Connect], [ConnRequest.AcceptOn] and their Async forms. The
// zero value is valid.
type ConnConfig struct {
	// Private is sent to the peer with the request or the answer, at most
	// Attributes.MaxPrivateData bytes. It may be reused once the call has returned.
	Private []byte
}

// Connect connects to the listener at address, host:service (uDAPL: dat_ep_connect). It waits
// for the peer's answer or until ctx is done. If ctx has no deadline, the limit is ten seconds
// plus [OpenConfig].ListenWait, with every adapter: set a deadline if the peer's program may
// take longer. Receives that were posted before Connect are ready when the connection is
// established.
//
// If it fails, the endpoint is disconnected and its receives are flushed. ErrRejected carries
// the peer's private data. ErrTimeout: ctx or the limit of ten seconds. ErrCanceled: ctx.
// ErrDisconnected: [Endpoint.Abort]. ErrRefused: no listener accepted. ErrUnreachable and
// ErrBadAddress as documented there. ErrState: the endpoint is not unconnected or has no zone.
// ErrInvalid: too much private data. After the last two, and if ctx is done at the call,
// nothing has changed.
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

// ConnectAsync is Connect without waiting. If it returns nil, the endpoint is connecting, and
// done is called once, on another goroutine, with the results of Connect. An error of
// ConnectAsync itself concerns the arguments or the state, and then nothing has changed. A
// context that is done at the call is reported to done. done must not block, close or reset
// the endpoint: Close waits until done has returned.
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

// begin starts an attempt: it creates the link and posts the kept receives on it.
// BeginShutdown, Abort and Close cancel the returned context.
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

// connected and disconnected handle the adapter's events of l.
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
