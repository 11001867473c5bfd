package rdma

import (
	"context"
	"sync/atomic"

	"github.com/godapl/godapl/internal/hca"
)

// Request is a peer that waits to be connected (uDAPL: CR). It is answered
// once, with Accept, AcceptOn or Reject.
type Request struct {
	listener *Listener
	cr       hca.ConnRequest
	answered atomic.Bool
}

// Listener is where the request arrived.
func (r *Request) Listener() *Listener { return r.listener }

// LocalAddr is the host:service that the peer asked for.
func (r *Request) LocalAddr() string { return r.cr.Local() }

// RemoteAddr is the peer's host:service.
func (r *Request) RemoteAddr() string { return r.cr.Remote() }

// PrivateData is what the peer sent along, whole. The caller must not change
// it. It stays good.
func (r *Request) PrivateData() []byte { return r.cr.Private() }

// Accept makes an endpoint and connects it to the peer (uDAPL: dat_cr_accept).
// It waits until the connection is established, the peer is gone or ctx is done;
// a peer that does not begin within ten seconds of the answer is ErrTimeout.
// The endpoint belongs to the connection: [Conn.Close] closes both. Receives
// that must be in place before the peer's first message need AcceptOn.
//
// ErrState: the request has been answered. An error in the arguments (ErrInvalid,
// ErrState, ErrResources), and a ctx that is done at the call, leave the request
// unanswered; after any other error it is gone.
func (r *Request) Accept(ctx context.Context, cfg EndpointConfig, private []byte) (*Conn, error) {
	e, err := r.listener.adapter.NewEndpoint(cfg)
	if err != nil {
		return nil, err
	}
	e.ofConn = true
	c, err := r.AcceptOn(ctx, e, private)
	if err != nil {
		e.Close()
		return nil, err
	}
	return c, nil
}

// AcceptOn connects an unconnected endpoint to the peer. Receives that were
// posted on it are in place before the peer can send. If it fails after the
// request was answered, the endpoint is disconnected and its receives are
// flushed. Otherwise it is as Accept.
func (r *Request) AcceptOn(ctx context.Context, e *Endpoint, private []byte) (*Conn, error) {
	const op = "accept"
	a := r.listener.adapter
	if e == nil || e.adapter != a {
		return nil, hca.NewError(hca.Invalid, op, "request", "the endpoint is of another adapter, or none")
	}
	if err := a.checkPrivate(op, private); err != nil {
		return nil, err
	}
	if !r.answered.CompareAndSwap(false, true) {
		return nil, r.answeredError(op)
	}
	peer := r.cr.Private()
	if peer == nil {
		peer = []byte{}
	}
	ctx, l, err := e.begin(ctx, op, StateAccepting, peer)
	if err != nil {
		r.answered.Store(false)
		return nil, err
	}
	return e.attempted(l, r.cr.Accept(ctx, l.qp, hca.ConnParams{Private: private}))
}

// Reject refuses the peer and tells it so: its connect fails with ErrRejected
// and the private data (uDAPL: dat_cr_reject). ErrState: the request has been
// answered. ErrInvalid: too much private data; the request is not answered.
func (r *Request) Reject(private []byte) error {
	if err := r.listener.adapter.checkPrivate("reject", private); err != nil {
		return err
	}
	if !r.answered.CompareAndSwap(false, true) {
		return r.answeredError("reject")
	}
	return r.cr.Reject(private)
}

func (r *Request) answeredError(op string) error {
	return hca.NewError(hca.State, op, "request", "it has been answered already")
}
