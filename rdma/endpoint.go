package rdma

import (
	"sync"
	"sync/atomic"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/rdma/event"
)

// Endpoint is one side of at most one connection at a time (uDAPL: EP; verbs:
// queue pair). It outlives its connections: Reset makes it ready for the next.
// Receives may be posted before it is connected and wait for the connection.
type Endpoint struct {
	// session is set from the attempt to connect until Reset. Posts use no other field.
	session atomic.Pointer[session]
	state   atomic.Uint32
	number  uint32 // in errors
	conn    atomic.Pointer[Conn]
	adapter *Adapter
	tag     uint64
	marks   atomic.Pointer[watermarks] // nil: none set
	// describe is nil unless Describe was called.
	describe atomic.Pointer[func() Description]
	reused   atomic.Bool // reset after a connection
	ofConn   bool        // created by Dial or Accept: closed with its connection
	// attempts tracks asynchronous connects and accepts.
	attempts sync.WaitGroup

	counters sync.Mutex // guards past, and session.counted and last, for a moment
	past     Stats      // of the sessions before this one

	life sync.Mutex // one Reset, Modify or Close at a time
	mu   sync.Mutex // guards what follows, and changes of session and state
	cfg  EndpointConfig
	// recvQ and sendQ are the queues of cfg or the endpoint's own.
	recvQ, sendQ *CompletionQueue
	earlyRecvs   []hca.RecvWR // receives that wait for a queue pair
	events       connEvents
}

// Adapter is the adapter that the endpoint belongs to.
func (e *Endpoint) Adapter() *Adapter { return e.adapter }

// Tag is EndpointConfig.Tag: a program can use it to find its own object for a completion, at
// no cost.
func (e *Endpoint) Tag() uint64 { return e.tag }

// Zone is the zone whose memory the endpoint uses; nil if not set yet.
func (e *Endpoint) Zone() *Zone {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.cfg.Zone
}

// Config is the configuration with all defaults filled in (uDAPL: dat_ep_query). Queues that
// the endpoint has created itself are nil in it.
func (e *Endpoint) Config() EndpointConfig {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.cfg
}

// State is the endpoint's state (uDAPL: dat_ep_get_status). A change is visible no later than
// the event that reports it.
func (e *Endpoint) State() State { return State(e.state.Load()) }

// Outstanding returns the number of posted requests and of posted receives that are not
// complete (uDAPL: dat_ep_get_status tells whether they are 0).
func (e *Endpoint) Outstanding() (requests, receives int) {
	if sess := e.session.Load(); sess != nil {
		return sess.qp.Outstanding()
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	return 0, len(e.earlyRecvs)
}

// Held returns the number of receives that the endpoint holds, and the number of completions
// that follow if all messages that are arriving now succeed (uDAPL: dat_ep_recv_query).
func (e *Endpoint) Held() (buffers, span int) {
	if sess := e.session.Load(); sess != nil {
		return sess.qp.Held()
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.earlyRecvs), len(e.earlyRecvs)
}

// RecvCompletions is the dispatcher of the endpoint's completed receives; with a sink, a
// closed dispatcher.
func (e *Endpoint) RecvCompletions() *event.Dispatcher[Completion] {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.recvQ.Dispatcher()
}

// SendCompletions is the dispatcher of all other completed operations of the endpoint: sends,
// reads, writes, atomics and binds. With a sink it is a closed dispatcher.
func (e *Endpoint) SendCompletions() *event.Dispatcher[Completion] {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.sendQ.Dispatcher()
}

// ConnEvents is the dispatcher of the endpoint's connection events. With a sink it is a closed
// dispatcher. The first call creates it with the events of the current connection; events of
// earlier connections are not in it.
func (e *Endpoint) ConnEvents() *event.Dispatcher[ConnEvent] { return e.events.dispatcher(e) }

// Conn is the current or latest connection; nil if there was none since the endpoint was
// created or reset.
func (e *Endpoint) Conn() *Conn { return e.conn.Load() }
