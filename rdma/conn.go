package rdma

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/rdma/event"
)

// Conn is one connection of an endpoint. Its posts go out on this connection and on no
// later one of the endpoint; its completions are in the endpoint's dispatchers. Send,
// Recv, Read, Write and their like post and wait for their operation.
//
// When the connection has ended and the endpoint has been reset, all methods of the Conn fail
// with the code of the end, ErrDisconnected or ErrBroken.
//
// All methods may be called concurrently.
type Conn struct {
	ep      *Endpoint
	session *session
	info    hca.ConnInfo
	private []byte
	ctx     context.Context
	cancel  context.CancelCauseFunc
}

// Endpoint is the endpoint of the connection.
func (c *Conn) Endpoint() *Endpoint { return c.ep }

// Zone is the zone whose memory the connection uses.
func (c *Conn) Zone() *Zone { return c.ep.Zone() }

// Tag is [EndpointConfig].Tag.
func (c *Conn) Tag() uint64 { return c.ep.tag }

// SendCompletions is [Endpoint.SendCompletions]: the completions of sends, reads,
// writes, atomics and binds.
func (c *Conn) SendCompletions() *event.Dispatcher[Completion] { return c.ep.SendCompletions() }

// RecvCompletions is [Endpoint.RecvCompletions]: the completions of receives.
func (c *Conn) RecvCompletions() *event.Dispatcher[Completion] { return c.ep.RecvCompletions() }

// Context is cancelled when the connection ends, with the cause (context.Cause):
// ErrDisconnected if a side ended it, otherwise ErrBroken with the reason. An abrupt close by
// the peer counts as ErrDisconnected, unless it interrupts a message (iWARP). When the context
// ends, all completions of the connection, followed by the event of its end, are in their
// queues.
func (c *Conn) Context() context.Context { return c.ctx }

// PrivateData is the private data of the peer: on the connecting side it came with the peer's
// answer (uDAPL: DAT_CONNECTION_EVENT_DATA), on the accepting side with its request. The caller
// must not change it.
func (c *Conn) PrivateData() []byte { return c.private }

// LocalAddr is this side, host:service. Its Network is Path.
func (c *Conn) LocalAddr() net.Addr { return address{c.info.Path, c.info.Local} }

// RemoteAddr is the peer, host:service. Its Network is Path. Within a host the text names the
// peer's process, or its endpoint in this process.
func (c *Conn) RemoteAddr() net.Addr { return address{c.info.Path, c.info.Remote} }

// Path is the transport: "loop" within the process, "shm" over memory that two processes
// share, "tcp" as iWARP over TCP or over a program's own streams, "verbs" through an RDMA
// device.
func (c *Conn) Path() string { return c.info.Path }

// TLS describes the TLS of the connection: the peer's certificates, whether the session was
// resumed. It is nil for a connection without TLS, also over memory when
// [OpenConfig].TLSNetworkOnly allows that. The caller must not change what it points to.
func (c *Conn) TLS() *tls.ConnectionState { return c.info.TLS }

// PeerCertificate is the peer's own certificate, which has been verified as the configuration of TLS
// demands; nil without TLS, or if the peer has sent none.
func (c *Conn) PeerCertificate() *x509.Certificate { return certificateOf(c.info.TLS) }

// Caps are the capabilities of this connection, which may be fewer than the adapter's.
func (c *Conn) Caps() Caps { return capsOf(c.info.Caps) }

// Acked reports what the success of a send or write proves. True: the peer has the bytes, and
// the operation's completion reports a refusal by the peer. False (iWARP): only the transport
// has accepted the bytes, and a refusal by the peer breaks the connection later.
func (c *Conn) Acked() bool { return c.info.Acked }

// ReadsOut is the limit of reads and atomics in flight of this side.
func (c *Conn) ReadsOut() int { return c.info.ReadsOut }

// ReadsIn is the limit of reads and atomics in flight of the peer.
func (c *Conn) ReadsIn() int { return c.info.ReadsIn }

// Shutdown ends the connection gracefully and waits for the end: posted operations complete
// first. If ctx is done before, Shutdown ends the connection abruptly and returns ErrTimeout
// or ErrCanceled. It returns nil after an orderly end, otherwise the cause.
func (c *Conn) Shutdown(ctx context.Context) error {
	if ctx == nil {
		return contextError(ctx, "shut down", c.session.object(), "")
	}
	defer region(ctx, "shut down").End()
	if err := c.disconnect(true); err != nil {
		return err
	}
	select {
	case <-c.session.ended:
	case <-ctx.Done():
		select {
		case <-c.session.ended: // before the context
		default:
			c.disconnect(false)
			<-c.session.ended
			return contextError(ctx, "shut down", c.session.object(), "it was ended abruptly")
		}
	}
	if cause, ok := context.Cause(c.ctx).(*hca.Error); ok && cause.Code != hca.Disconnected {
		return cause
	}
	return nil
}

// disconnect is BeginShutdown or Abort for calls that wait for the end.
func (c *Conn) disconnect(graceful bool) error {
	err := c.ep.disconnect(c.session, graceful)
	if errors.Is(err, hca.Closed) {
		return nil // the endpoint is closed, so the connection has ended
	}
	return err
}

// Close ends the connection abruptly if it has not ended, as dat_ep_disconnect and dat_ep_free
// do: incomplete operations are flushed. It waits until no access to memory is in progress.
// For an orderly end call Shutdown first. If the connection comes from Dial or
// ConnRequest.Accept, Close also closes the endpoint (see [Endpoint.Close]). If it comes from
// Endpoint.Connect or ConnRequest.AcceptOn, the endpoint stays, disconnected.
func (c *Conn) Close() error {
	if c.ep.ofConn {
		return c.ep.Close()
	}
	if err := c.disconnect(false); err != nil {
		return err
	}
	<-c.session.ended
	return nil
}
