package rdma

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/rdma/event"
	"github.com/godapl/godapl/rdma/mem"
)

// Endpoint is one side of at most one connection at a time (uDAPL: EP; verbs:
// queue pair). It outlives its connections: Reset makes it ready for the next.
// Receives may be posted before it is connected and wait for the connection.
type Endpoint struct {
	// link is set from the attempt to connect until Reset. Posts need nothing
	// else.
	link    atomic.Pointer[link]
	state   atomic.Uint32
	conn    atomic.Pointer[Conn]
	adapter *Adapter
	ofConn  bool // made by Dial or Accept: goes with its connection

	life sync.Mutex // one Reset, Modify or Close at a time
	mu   sync.Mutex // guards what follows, and changes of link and state
	cfg  EndpointConfig
	// recvQ and sendQ are those of cfg or own.
	recvQ, sendQ *CompletionQueue
	kept         []hca.RecvWR // receives that wait for a queue pair
	events       connEvents
}

// Adapter is where the endpoint was made.
func (e *Endpoint) Adapter() *Adapter { return e.adapter }

// Zone is whose memory the endpoint works with; nil if not set yet.
func (e *Endpoint) Zone() *Zone {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.cfg.Zone
}

// Config is the configuration with all defaults filled in (uDAPL:
// dat_ep_query). Queues of the endpoint's own are nil in it.
func (e *Endpoint) Config() EndpointConfig {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.cfg
}

// State is where the endpoint is in its life (uDAPL: dat_ep_get_status). A
// change is visible no later than the event that reports it.
func (e *Endpoint) State() State { return State(e.state.Load()) }

// Outstanding counts the posted requests and receives that are not complete.
func (e *Endpoint) Outstanding() (requests, receives int) {
	if l := e.link.Load(); l != nil {
		return l.qp.Outstanding()
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	return 0, len(e.kept)
}

// Held counts the receives that belong to the endpoint, and how many
// completions would follow if all that is arriving now succeeded (uDAPL:
// dat_ep_recv_query).
func (e *Endpoint) Held() (buffers, span int) {
	if l := e.link.Load(); l != nil {
		return l.qp.Held()
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.kept), len(e.kept)
}

// Receives is the dispatcher of the endpoint's completed receives; nil if the
// configuration named a queue for another type.
func (e *Endpoint) Receives() *event.Dispatcher[Completion] {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.recvQ.own
}

// Requests is the dispatcher of the endpoint's completed requests: everything
// but receives. nil if the configuration named a queue for another type.
func (e *Endpoint) Requests() *event.Dispatcher[Completion] {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.sendQ.own
}

// ConnEvents is the dispatcher of the endpoint's connection events; nil if the
// configuration named a sink. It begins with the first call: events of the
// current connection are in it then, those of earlier ones are not.
func (e *Endpoint) ConnEvents() *event.Dispatcher[ConnEvent] { return e.events.dispatcher(e) }

// Conn is the current or latest connection; nil if there was none since the
// endpoint was made or reset.
func (e *Endpoint) Conn() *Conn { return e.conn.Load() }

// Connect connects to whoever listens at address, host:service, and sends
// private data along (uDAPL: dat_ep_connect). It waits for the peer's answer or
// until ctx is done. Receives that were posted before are then in place.
//
// If it fails, the endpoint is disconnected and its receives are flushed.
// ErrRejected carries the peer's private data. ErrTimeout and ErrCanceled come
// of ctx, ErrDisconnected of [Endpoint.Disconnect]. ErrRefused: nobody accepted.
// ErrUnreachable, ErrBadAddress: see there. ErrState: the endpoint is not
// unconnected or has no zone. ErrInvalid: too much private data. After the last
// two nothing has changed, nor if ctx is done at the call.
func (e *Endpoint) Connect(ctx context.Context, address string, private []byte) (*Conn, error) {
	if err := e.adapter.checkPrivate("connect", private); err != nil {
		return nil, err
	}
	ctx, l, err := e.begin(ctx, "connect", StateConnecting, nil)
	if err != nil {
		return nil, err
	}
	return e.attempted(l, l.qp.Connect(ctx, address, hca.ConnParams{Private: private}))
}

// begin starts an attempt: it makes the link and hands it the receives that
// were kept. The context it returns also ends with Disconnect and Close.
func (e *Endpoint) begin(ctx context.Context, op string, to State, private []byte) (context.Context, *link, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	switch {
	case e.State() == StateClosed:
		return nil, nil, e.closedError(op)
	case e.State() != StateUnconnected:
		return nil, nil, hca.NewError(hca.State, op, "endpoint", "it is "+e.State().String()+"; it must be unconnected (Reset leads there)")
	case e.cfg.Zone == nil:
		return nil, nil, hca.NewError(hca.State, op, "endpoint", "it has no zone; set one with Modify")
	case ctx.Err() != nil:
		return nil, nil, contextError(ctx, op, "endpoint")
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
		err = hca.NewError(hca.Internal, "connect", "endpoint", "the adapter has not told that the connection is established")
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

// Disconnect begins the end of the connection and does not wait for it (uDAPL:
// dat_ep_disconnect): a connection event, the context of the Conn and the state
// tell when it has come. Graceful lets posted requests complete first and
// refuses new ones with ErrState. Abrupt flushes what is not under way, and ends
// an attempt to connect or accept. On a disconnected endpoint it does nothing;
// on one that never was connected it fails with ErrState.
func (e *Endpoint) Disconnect(graceful bool) error {
	e.mu.Lock()
	l, s := e.link.Load(), e.State()
	switch s {
	case StateUnconnected:
		e.mu.Unlock()
		return hca.NewError(hca.State, "disconnect", "endpoint", "it is unconnected")
	case StateClosed:
		e.mu.Unlock()
		return e.closedError("disconnect")
	case StateDisconnected:
		e.mu.Unlock()
		return nil
	case StateConnected:
		if graceful {
			e.state.Store(uint32(StateDisconnecting))
		}
	case StateDisconnecting:
		if graceful {
			e.mu.Unlock()
			return nil
		}
	}
	e.mu.Unlock()
	if s == StateConnecting || s == StateAccepting {
		l.abort(hca.NewError(hca.Disconnected, "connect", "endpoint", "Disconnect was called meanwhile"))
		return nil
	}
	return l.qp.Disconnect(graceful)
}

// Reset makes a disconnected endpoint unconnected again (uDAPL: dat_ep_reset).
// Completions of the old connection that have not been taken stay where they
// are. It may wait until nothing of the old connection is under way. On an
// unconnected endpoint it does nothing, otherwise ErrState.
func (e *Endpoint) Reset() error {
	e.life.Lock()
	defer e.life.Unlock()
	switch s := e.State(); s {
	case StateUnconnected:
		return nil
	case StateClosed:
		return e.closedError("reset")
	case StateDisconnected:
	default:
		return hca.NewError(hca.State, "reset", "endpoint", "it is "+s.String()+"; Disconnect first")
	}
	l := e.link.Load()
	if err := l.qp.Close(); err != nil {
		return err
	}
	l.dismantle()
	e.events.forget()
	e.mu.Lock()
	defer e.mu.Unlock()
	e.link.Store(nil)
	e.conn.Store(nil)
	e.state.Store(uint32(StateUnconnected))
	return nil
}

// Close ends the endpoint and, abruptly, its connection (uDAPL: dat_ep_free).
// What is posted is flushed. It waits until no access is under way. Dispatchers
// of the endpoint's own are closed with it, and drop what has not been taken:
// whoever needs the last completions calls Disconnect, takes them, and closes
// then, or uses a CompletionQueue of the program.
func (e *Endpoint) Close() error {
	e.life.Lock()
	defer e.life.Unlock()
	if e.State() == StateClosed {
		return nil
	}
	err := e.shut()
	e.adapter.remove(e)
	return err
}

func (e *Endpoint) kind() string { return kindEndpoint }

// end closes for Adapter.Close.
func (e *Endpoint) end() { e.Close() }

// shut does the work of Close. e.life is held.
func (e *Endpoint) shut() error {
	e.mu.Lock()
	e.state.Store(uint32(StateClosed))
	l := e.link.Load()
	kept := e.kept
	e.kept = nil
	e.mu.Unlock()
	var err error
	if l != nil {
		l.abort(e.closedError("connect"))
		err = l.qp.Close()
		l.dismantle()
		e.link.Store(nil)
	}
	e.flushKept(kept)
	e.release()
	e.events.close()
	return err
}

func (e *Endpoint) closedError(op string) error {
	return hca.NewError(hca.Closed, op, "endpoint", "the endpoint has been closed")
}

// domainNow is whose memory receives must belong to; nil if that is not known
// yet. e.mu is held.
func (e *Endpoint) domainNow() *mem.Domain {
	if e.cfg.Zone == nil {
		return nil
	}
	return e.cfg.Zone.domain
}
