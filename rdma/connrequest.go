package rdma

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"net"
	"sync/atomic"

	"github.com/godapl/godapl/internal/hca"
)

// ConnRequest is a peer's request to connect (uDAPL: CR). Answer it once, with Accept,
// AcceptOn or Reject.
type ConnRequest struct {
	listener *Listener
	cr       hca.ConnRequest
	answered atomic.Bool
}

// Listener is the listener that received the request.
func (r *ConnRequest) Listener() *Listener { return r.listener }

// LocalAddr is the address that the peer has connected to, host:service (uDAPL: dat_cr_query, as
// for RemoteAddr and PrivateData). Its Network is the adapter's name.
func (r *ConnRequest) LocalAddr() net.Addr { return address{r.listener.adapter.name, r.cr.Local()} }

// RemoteAddr is the peer, host:service. Its Network is the adapter's name.
func (r *ConnRequest) RemoteAddr() net.Addr { return address{r.listener.adapter.name, r.cr.Remote()} }

// PrivateData is the complete private data of the peer's request. The caller must not change
// it. It stays valid after the answer.
func (r *ConnRequest) PrivateData() []byte { return r.cr.Private() }

// TLS describes the TLS of the peer's stream, whose handshake is over; nil without TLS. See
// [Conn.TLS].
func (r *ConnRequest) TLS() *tls.ConnectionState {
	if s, ok := r.cr.(hca.Secured); ok {
		return s.TLS()
	}
	return nil
}

// PeerCertificate is the peer's own certificate: see [Conn.PeerCertificate].
func (r *ConnRequest) PeerCertificate() *x509.Certificate { return certificateOf(r.TLS()) }

// certificateOf is the peer's own certificate.
func certificateOf(s *tls.ConnectionState) *x509.Certificate {
	if s == nil || len(s.PeerCertificates) == 0 {
		return nil
	}
	return s.PeerCertificates[0]
}

// Accept creates an endpoint and connects it to the peer (uDAPL: dat_cr_accept), with
// EndpointConfig.Private as the private data. It waits until the connection is established,
// the peer is gone or ctx is done; ErrTimeout if the peer does not begin within ten seconds of
// the answer. RDMA devices have no such limit of ten seconds: the kernel decides when the peer is
// gone. The endpoint belongs to the connection: [Conn.Close] closes both. If receives must be
// posted before the peer's first message, use AcceptOn.
//
// ErrState: the request has been answered. An error in the arguments (ErrInvalid,
// ErrState, ErrResources), and a ctx that is done at the call, leave the request
// unanswered; after any other error it is gone.
func (r *ConnRequest) Accept(ctx context.Context, cfg EndpointConfig) (*Conn, error) {
	const op = "accept"
	e, err := r.listener.adapter.newEndpoint(op, cfg)
	if err != nil {
		return nil, hca.Named(err, op, tagged(r.object(), cfg.Tag))
	}
	e.ofConn = true
	c, err := r.AcceptOn(ctx, e, ConnConfig{Private: cfg.Private})
	if err != nil {
		e.Close()
		return nil, err
	}
	return c, nil
}

// AcceptOn connects an unconnected endpoint to the peer. Receives that were posted on it are
// ready before the peer can send. If AcceptOn fails after the request was answered, the
// endpoint is disconnected and its receives are flushed. All else is as with Accept.
func (r *ConnRequest) AcceptOn(ctx context.Context, e *Endpoint, cfg ConnConfig) (*Conn, error) {
	const op = "accept"
	ctx, sess, err := r.take(ctx, op, e, cfg.Private)
	if err != nil {
		return nil, err
	}
	ctx, end := task(ctx, "rdma accept")
	defer end()
	c, err := r.acceptTaken(ctx, e, sess, cfg.Private)
	return c, hca.Named(err, op, tagged(r.object(), e.tag))
}

// AcceptAsync is AcceptOn without waiting, as [Endpoint.ConnectAsync] is Connect. But a context that is done at the call
// is an error of AcceptAsync itself: nothing has changed then, and the request is unanswered.
func (r *ConnRequest) AcceptAsync(ctx context.Context, e *Endpoint, cfg ConnConfig, done func(*Conn, error)) error {
	const op = "accept"
	switch {
	case e == nil:
		return hca.NewError(hca.Invalid, op, r.object(), "there is no endpoint")
	case done == nil:
		return hca.NewError(hca.Invalid, op, r.object(), "done is nil, and nobody would hear what has come of it")
	}
	ended := e.beginAttempt()
	ctx, sess, err := r.take(ctx, op, e, cfg.Private)
	if err != nil {
		ended()
		return err
	}
	private := bytes.Clone(cfg.Private)
	ctx, end := task(ctx, "rdma accept")
	go func() {
		defer ended()
		defer end()
		var c *Conn
		var err error
		hca.Do(ctx, e.adapter.name, "accept", func() {
			c, err = r.acceptTaken(ctx, e, sess, private)
		})
		done(c, hca.Named(err, op, tagged(r.object(), e.tag)))
	}()
	return nil
}

// take starts accepting the request on e, or changes nothing.
func (r *ConnRequest) take(ctx context.Context, op string, e *Endpoint, private []byte) (context.Context, *session, error) {
	a := r.listener.adapter
	if e == nil || e.adapter != a {
		return nil, nil, hca.NewError(hca.Invalid, op, r.object(), "the endpoint is of another adapter, or none")
	}
	if err := a.checkPrivate(private); err != nil {
		return nil, nil, hca.Named(err, op, tagged(r.object(), e.tag))
	}
	if over(ctx) {
		return nil, nil, contextError(ctx, op, r.object(), nothingBegun)
	}
	if !r.answered.CompareAndSwap(false, true) {
		return nil, nil, r.answeredError(op)
	}
	peer := r.cr.Private()
	if peer == nil {
		peer = []byte{}
	}
	ctx, sess, err := e.begin(ctx, StateAccepting, peer)
	if err != nil {
		r.answered.Store(false)
		return nil, nil, hca.Named(err, op, tagged(r.object(), e.tag))
	}
	return ctx, sess, nil
}

// acceptTaken accepts a request that was taken. If that fails, the request is gone, and so is the peer.
func (r *ConnRequest) acceptTaken(ctx context.Context, e *Endpoint, sess *session, private []byte) (*Conn, error) {
	err := r.cr.Accept(ctx, sess.qp, hca.ConnParams{Private: private})
	if err != nil {
		r.listener.adapter.logRefused(r.cr.Remote, err)
		_ = r.cr.Reject(nil) // the adapter has not answered if the endpoint was closed meanwhile; otherwise it refuses this
	}
	return e.attempted(sess, "", err)
}

// HandOff forwards the request to another listener of the same adapter, which receives a new
// request with the same peer and private data (uDAPL: dat_cr_handoff). This request is then
// answered. ErrRefused: the other listener is full or closed, and this request is not
// answered.
func (r *ConnRequest) HandOff(to *Listener) error {
	const op = "hand off"
	if to == nil || to.adapter != r.listener.adapter {
		return hca.NewError(hca.Invalid, op, r.object(), "the listener is of another adapter, or none")
	}
	if !r.answered.CompareAndSwap(false, true) {
		return r.answeredError(op)
	}
	if !to.offered(r.cr) {
		r.answered.Store(false)
		return hca.NewError(hca.Refused, op, r.object(), noRoom)
	}
	return nil
}

// Reject refuses the peer, whose connect fails with ErrRejected and the private data (uDAPL:
// dat_cr_reject). ErrState: the request has been answered. ErrInvalid: too much private data;
// the request is not answered.
func (r *ConnRequest) Reject(private []byte) error {
	if err := r.listener.adapter.checkPrivate(private); err != nil {
		return hca.Named(err, "reject", r.object())
	}
	if !r.answered.CompareAndSwap(false, true) {
		return r.answeredError("reject")
	}
	r.listener.adapter.logRefused(r.cr.Remote, hca.NewError(hca.Rejected, "reject", r.object(), "this program has rejected the request"))
	return hca.Named(r.cr.Reject(private), "reject", r.object())
}

func (r *ConnRequest) answeredError(op string) error {
	return hca.NewError(hca.State, op, r.object(), "it has been answered already")
}
