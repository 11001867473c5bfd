package dat_test

import (
	"context"
	"fmt"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/godapl/godapl/compat/dat"
	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/rdmatest"
)

// gate is streams over TCP on which the accepting side's answer waits, for the state
// COMPLETION_PENDING, and on which some addresses cannot be reached.
type gate struct {
	mu     sync.Mutex
	closed bool
	full   atomic.Bool   // no service is free
	wait   chan struct{} // closed when the gate opens
	queue  chan struct{} // gets a value for every write that waits
}

type gatedConn struct {
	net.Conn
	g    *gate
	done chan struct{}
	once sync.Once
}

func (c *gatedConn) Write(b []byte) (int, error) {
	c.g.mu.Lock()
	closed, wait, queue := c.g.closed, c.g.wait, c.g.queue
	c.g.mu.Unlock()
	if closed {
		select {
		case queue <- struct{}{}:
		default:
		}
		select {
		case <-wait:
		case <-c.done:
		}
	}
	return c.Conn.Write(b)
}

func (c *gatedConn) Close() error {
	c.once.Do(func() { close(c.done) })
	return c.Conn.Close()
}

// A deadline that is over ends the waiting, as it ends a blocked write.
func (c *gatedConn) SetDeadline(t time.Time) error {
	if !t.IsZero() && time.Until(t) <= 0 {
		c.once.Do(func() { close(c.done) })
	}
	return c.Conn.SetDeadline(t)
}

func (c *gatedConn) SetWriteDeadline(t time.Time) error { return c.SetDeadline(t) }

type gatedListener struct {
	net.Listener
	g *gate
}

func (l gatedListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &gatedConn{Conn: c, g: l.g, done: make(chan struct{})}, nil
}

func (g *gate) Dial(ctx context.Context, address string) (net.Conn, error) {
	if strings.HasPrefix(address, "10.") {
		return nil, &rdma.Error{Op: "dial", Object: address, Code: rdma.ErrUnreachable, Detail: "no route in this test"}
	}
	return new(net.Dialer).DialContext(ctx, "tcp", address)
}

func (g *gate) Listen(ctx context.Context, address string) (net.Listener, error) {
	if g.full.Load() {
		return nil, &rdma.Error{Op: "listen", Object: address, Code: rdma.ErrServiceInUse, Detail: "as a test wants it"}
	}
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	if err != nil {
		return nil, err
	}
	return gatedListener{l, g}, nil
}

// shut closes the gate until the end of the test, or open.
func (g *gate) shut(t testing.TB) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.closed, g.wait, g.queue = true, make(chan struct{}), make(chan struct{}, 1)
	t.Cleanup(g.open)
}

func (g *gate) open() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		g.closed = false
		close(g.wait)
	}
}

var theGate = &gate{}

// Adapters for tests: patient lets a message wait for its receive for ever, gate is
// over the streams above.
const patient, gated = "patient", "test-gate"

var patientProvider = &dat.Provider{DeviceName: usual, Options: rdma.OpenConfig{ReceiveWait: 24 * time.Hour}}

func setup() {
	if err := rdma.RegisterFabric(gated, theGate); err != nil {
		panic(err)
	}
	if _, err := rdmatest.RegisterFaulty(faulty, usual, faults); err != nil {
		panic(err)
	}
	if ret := dat.RegistryAddProvider(patientProvider, &dat.ProviderInfo{IAName: patient, DaplVersionMajor: 1, DaplVersionMinor: 2}); ret != dat.Success {
		panic(ret)
	}
}

// The states as the tables call them.
var stateNames = []string{"U", "R", "P", "T", "A", "CP", "C", "DP", "D"}

var states = map[string]dat.EPState{
	"U": dat.EPStateUnconnected, "R": dat.EPStateReserved, "P": dat.EPStatePassiveConnectionPending,
	"T": dat.EPStateTentativeConnectionPending, "A": dat.EPStateActiveConnectionPending,
	"CP": dat.EPStateCompletionPending, "C": dat.EPStateConnected, "DP": dat.EPStateDisconnectPending,
	"D": dat.EPStateDisconnected,
}

var stateSubtypes = map[string]dat.Return{
	"U": dat.InvalidStateEPUnconnected, "R": dat.InvalidStateEPReserved, "P": dat.InvalidStateEPPassconnpending,
	"T": dat.InvalidStateEPTentconnpending, "A": dat.InvalidStateEPActconnpending, "CP": dat.InvalidStateEPComplpending,
	"C": dat.InvalidStateEPConnected, "DP": dat.InvalidStateEPDiscpending, "D": dat.InvalidStateEPDisconnected,
}

// subject is an endpoint in a state, with its peer and the objects that it depends on.
type subject struct {
	*side
	peer *side
	name string // of the adapter
	cr   dat.CRHandle
	rsp  dat.RSPHandle
	qual dat.ConnQual // where others listen
	// pending is the subject's request at the peer.
	pending dat.CRHandle
}

// in puts an endpoint into a state.
func in(t testing.TB, state string) *subject {
	t.Helper()
	switch state {
	case "P", "T", "A":
		notIWARP(t, pending)
	case "DP":
		notIWARP(t, unwaited)
	}
	name := patient
	if state == "CP" {
		name = gated
	}
	s := &subject{side: newSide(t, name, nil), peer: newSide(t, name, nil), name: name}
	s.qual = service(name)
	ask := func(e *side) {
		ok(t, dat.EPConnect(e.ep, host(name), s.qual, second, 0, nil, dat.QOSBestEffort, dat.ConnectDefaultFlag))
	}
	var psp dat.PSPHandle
	switch state {
	case "R", "P":
		ok(t, dat.RSPCreate(s.ia, s.qual, s.ep, s.side.cr, &s.rsp))
		if state == "P" {
			ask(s.peer)
			s.cr = expect(t, s.side.cr, dat.ConnectionRequestEvent).EventData.CRArrivalEventData.CRHandle
		}
	case "T":
		ok(t, dat.PSPCreate(s.ia, s.qual, s.side.cr, dat.PSPProviderFlag, &psp))
		ask(s.peer)
		s.cr = expect(t, s.side.cr, dat.ConnectionRequestEvent).EventData.CRArrivalEventData.CRHandle
		var p dat.CRParam
		ok(t, dat.CRQuery(s.cr, dat.CRFieldAll, &p))
		s.ep = p.LocalEPHandle
		ep := dat.EPParam{PZHandle: s.pz, RecvEVDHandle: s.recv, RequestEVDHandle: s.req, ConnectEVDHandle: s.conn}
		ok(t, dat.EPModify(s.ep, dat.EPFieldPZHandle|dat.EPFieldRecvEVDHandle|dat.EPFieldRequestEVDHandle|dat.EPFieldConnectEVDHandle, &ep))
	case "A":
		ok(t, dat.PSPCreate(s.peer.ia, s.qual, s.peer.cr, dat.PSPConsumerFlag, &psp))
		ask(s.side)
		s.pending = expect(t, s.peer.cr, dat.ConnectionRequestEvent).EventData.CRArrivalEventData.CRHandle
	case "CP":
		ok(t, dat.PSPCreate(s.ia, s.qual, s.side.cr, dat.PSPConsumerFlag, &psp))
		ask(s.peer)
		cr := expect(t, s.side.cr, dat.ConnectionRequestEvent).EventData.CRArrivalEventData.CRHandle
		theGate.shut(t)
		ok(t, dat.CRAccept(cr, s.ep, 0, nil))
		<-theGate.queue // its answer is on its way
	case "C", "DP", "D":
		if state == "C" { // an iWARP device ends the connection on a message that finds none
			ok(t, dat.EPPostRecv(s.peer.ep, 1, s.peer.mem.iov(0, 8), num(1), 0))
		}
		// The service goes on listening, for EPDupConnect.
		ok(t, dat.PSPCreate(s.peer.ia, s.qual, s.peer.cr, dat.PSPConsumerFlag, &psp))
		ask(s.side)
		cr := expect(t, s.peer.cr, dat.ConnectionRequestEvent).EventData.CRArrivalEventData.CRHandle
		ok(t, dat.CRAccept(cr, s.peer.ep, 0, nil))
		expect(t, s.conn, dat.ConnectionEventEstablished)
		expect(t, s.peer.conn, dat.ConnectionEventEstablished)
		if state == "DP" {
			// A message that finds no receive keeps the disconnect from ending.
			ok(t, dat.EPPostSend(s.ep, 1, s.mem.iov(0, 8), num(1), 0))
			ok(t, dat.EPDisconnect(s.ep, dat.CloseGracefulFlag))
		}
		if state == "D" {
			ok(t, dat.EPDisconnect(s.ep, dat.CloseAbruptFlag))
			expect(t, s.conn, dat.ConnectionEventDisconnected)
			expect(t, s.peer.conn, dat.ConnectionEventDisconnected)
		}
	}
	if have := s.state(); have != states[state] {
		t.Fatalf("the state is %d, want %s", have, state)
	}
	return s
}

// settle waits until the endpoint is in a state, which the events of its connection
// announce.
func (s *subject) settle(want string) {
	s.t.Helper()
	for s.state() != states[want] {
		next(s.t, s.conn)
	}
}

func TestEveryStateCanBeReached(t *testing.T) {
	for _, name := range stateNames {
		t.Run(name, func(t *testing.T) { in(t, name) })
	}
	if len(states) != 9 {
		t.Fatal(fmt.Sprint(len(states), " states"))
	}
}
