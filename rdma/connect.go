package rdma

import (
	"bytes"
	"context"
	"errors"

	"github.com/godapl/godapl/internal/hca"
)

// ConnConfig configures [Endpoint.Connect], [ConnRequest.AcceptOn] and their Async forms. The
// zero value is valid.
type ConnConfig struct {
	// Private is sent to the peer with the request or the answer; it has at most
	// Attributes.MaxPrivateData bytes. The slice may be reused once the call has returned.
	Private []byte
}

// Connect connects to the listener at address, host:service (uDAPL: dat_ep_connect). It waits
// for the peer's answer or until ctx is done. If ctx has no deadline, the limit is ten seconds
// with every adapter, plus [OpenConfig].ListenWait except on RDMA devices: set a deadline if the peer's program may
// take longer. Receives that were posted before Connect are ready when the connection is
// established.
//
// If Connect fails, the endpoint is disconnected and its receives are flushed. ErrRejected:
// the peer's program has rejected the request; the error has its private data. ErrTimeout: ctx
// or the limit of ten seconds has ended the call. ErrCanceled: ctx was cancelled.
// ErrDisconnected: [Endpoint.Abort] was called. ErrRefused: no listener has accepted.
// ErrUnreachable, ErrBadAddress: see these codes. ErrState: the endpoint is not unconnected or has
// no zone. ErrInvalid: there is too much private data. After ErrState and ErrInvalid, and if
// ctx is done at the call, nothing has changed.
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
	ctx, end := task(ctx, "rdma connect")
	defer end()
	ctx, sess, err := e.begin(ctx, StateConnecting, nil)
	if err != nil {
		return nil, hca.Named(err, op, e.toward(address))
	}
	c, err := e.attempted(sess, address, sess.qp.Connect(ctx, address, hca.ConnParams{Private: private}))
	return c, hca.Named(err, op, e.toward(address))
}

// ConnectAsync is Connect without waiting. If it returns nil, the endpoint is connecting, and
// done is called once, on another goroutine, with the results of Connect. An error of
// ConnectAsync itself concerns the arguments or the state, and then nothing has changed. A
// context that is done at the call is reported to done. done must not block, close or reset
// the endpoint: Close waits until done has returned. For profiles, its goroutine has the labels of ctx.
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
	ended := e.beginAttempt()
	ctx, sess, err := e.begin(ctx, StateConnecting, nil)
	if err != nil {
		ended()
		return hca.Named(err, op, e.toward(address))
	}
	private := bytes.Clone(cfg.Private)
	ctx, end := task(ctx, "rdma connect")
	go func() {
		defer ended()
		defer end()
		var c *Conn
		var err error
		hca.Do(ctx, e.adapter.name, "connect", func() {
			c, err = e.attempted(sess, address, sess.qp.Connect(ctx, address, hca.ConnParams{Private: private}))
		})
		done(c, hca.Named(err, op, e.toward(address)))
	}()
	return nil
}

// beginAttempt makes Close wait until end is called; a closed endpoint waits for nothing, and begin refuses it.
func (e *Endpoint) beginAttempt() (end func()) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.State() == StateClosed {
		return func() {}
	}
	e.attempts.Add(1)
	return e.attempts.Done
}

// begin starts an attempt: it creates the session and posts the early receives on it.
// BeginShutdown, Abort and Close cancel the returned context.
func (e *Endpoint) begin(ctx context.Context, to State, private []byte) (context.Context, *session, error) {
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
	sess, err := newSession(e)
	if err != nil {
		return nil, nil, err
	}
	ctx, sess.abort = context.WithCancelCause(ctx)
	sess.private = private
	if to == StateAccepting {
		sess.flight.note(FlightAccepting)
	} else {
		sess.flight.note(FlightConnecting)
	}
	e.postEarlyRecvs(sess)
	e.session.Store(sess)
	e.state.Store(uint32(to))
	return ctx, sess, nil
}

// attempted ends an attempt that begin started. peer is where it went; "" for an accept.
func (e *Endpoint) attempted(sess *session, peer string, err error) (*Conn, error) {
	sess.abort(nil)
	if err == nil {
		if c := sess.conn.Load(); c != nil {
			e.leave(sess)
			return c, nil
		}
		err = hca.NewError(hca.Internal, "", "", "the adapter has not told that the connection is established")
	}
	if peer != "" && (errors.Is(err, hca.Refused) || errors.Is(err, hca.Rejected)) {
		e.adapter.logRefused(func() string { return peer }, err)
	}
	e.disconnected(sess)
	sess.holdback.release()
	return nil, err
}

// connected and disconnected handle the adapter's events of l.
func (e *Endpoint) connected(sess *session, c *Conn) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.session.Load() != sess {
		return
	}
	e.conn.Store(c)
	if s := e.State(); s == StateConnecting || s == StateAccepting {
		e.state.Store(uint32(StateConnected))
	}
}

func (e *Endpoint) disconnected(sess *session) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.session.Load() == sess && e.State() != StateClosed {
		e.state.Store(uint32(StateDisconnected))
	}
}
