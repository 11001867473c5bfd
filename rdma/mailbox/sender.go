package mailbox

import (
	"context"
	"fmt"
	"net"
	"sync"
	"time"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/event"
	"github.com/godapl/godapl/rdma/mem"
)

// Sender sends values to one mailbox. Make one with [Dial]. All methods may be called concurrently;
// values that one goroutine sends arrive in their order. A sender has no goroutine of its own: a
// call that waits handles what arrives, for the other calls, too.
type Sender[T, R any] struct {
	values  *coder[T]
	answers *coder[R]
	window  int
	async   bool
	text    string

	zone  *rdma.Zone
	ep    *rdma.Endpoint
	conn  *rdma.Conn
	recvs *event.Dispatcher[rdma.Completion]
	sends *event.Dispatcher[rdma.Completion]
	in    *slots

	near *peer[T, R] // of a mailbox of this process; nil if it is of another one

	ctx    context.Context
	cancel context.CancelCauseFunc
	ended  chan struct{} // atEnd has returned

	mu       sync.Mutex
	out      *slots
	lent     []lent   // memory that the mailbox reads, oldest first
	receives int      // posted
	posted   uint64   // values that were put into messages
	left     uint64   // how many of them have left
	last     uint64   // the latest posted one that is no ask
	placed   uint64   // how many of them the mailbox is done with
	refused  uint64   // how many of those it has refused
	handed   uint64   // values that went the short way; they are not in the numbers above
	refusals Refused  // of values that no call waits for, since the latest Flush
	asked    uint64   // asks, for their ids
	leader   *call[R] // waits for completions
	called   bool     // the leader has been called
	handling bool     // the leader handles what it has waited for
	askTurns queue[R]
	turns    queue[R]
	placing  queue[R]   // by the numbers of their values, but for a Flush
	parked   []*call[R] // while another one leads
	asks     []*call[R] // that wait for an answer
	freeAsk  []uint32
	spare    []*call[R]
	batch    [16]rdma.Completion // of the call that leads
	sent     [16]rdma.Completion
	stalled  bool          // a call waits for the completion of a send
	shut     bool          // the mailbox takes no further value
	over     bool          // the connection has ended
	parting  bool          // Close ends the connection
	endWait  time.Duration // of Close, for a mailbox that has no room
	failure  error         // why this side has ended it

	record    int        // bytes of the longest value in a message
	size      int        // bytes of the longest message
	pending   []outgoing // oldest first; the last may have room for more
	flight    flight     // the messages that have left
	quiet     int        // messages that left since the latest whose completion wakes a call
	awake     int        // calls that were woken and have not run
	gathered  bool       // no call has let the latest values of Go leave
	departing bool       // a call is about to let the messages leave
	owed      bool       // a call has returned meanwhile that does not wait for its value
	broken    error      // a message could not leave: the connection ends
	pushing   bool       // there is a goroutine of pushAll
	pusher    *call[R]   // its call
	pushers   sync.WaitGroup
}

// Dial connects a sender to the mailbox at address, host:service. The types must be those of the
// mailbox: if not, the error shows both.
func Dial[T, R any](ctx context.Context, a *rdma.Adapter, address string, cfg DialConfig[T, R]) (*Sender[T, R], error) {
	if a == nil {
		return nil, errNilAdapter
	}
	if err := counts(&cfg.Window, &cfg.Asks); err != nil {
		return nil, err
	}
	values, err := newCoder(cfg.Values, 0, maxValue) // the mailbox says how long a value may be
	if err != nil {
		return nil, err
	}
	answers, err := newCoder(cfg.Answers, orElse(cfg.MaxAnswer, 1024), orElse(cfg.MaxAnswer, 1024))
	if err != nil {
		return nil, err
	}
	s := &Sender[T, R]{values: values, answers: answers, async: cfg.Async, text: typesText(values, answers),
		ended: make(chan struct{}), endWait: time.Second}
	s.ctx, s.cancel = context.WithCancelCause(context.Background())
	if err := s.connect(ctx, a, address, cfg.Window, cfg.Asks); err != nil {
		s.free()
		return nil, fmt.Errorf("mailbox: dial %s: %w", address, err)
	}
	return s, nil
}

func (s *Sender[T, R]) connect(ctx context.Context, a *rdma.Adapter, address string, window, asks int) (err error) {
	if s.zone, err = a.NewZone(); err != nil {
		return err
	}
	receives := window + asks + 1
	s.ep, err = a.NewEndpoint(rdma.EndpointConfig{Zone: s.zone, SendDepth: 2 * window, RecvDepth: receives, ReadsOut: -1, ReadsIn: 1})
	if err != nil {
		return err
	}
	if s.in, err = newSlots(s.zone, receives, gathered(headerSize+max(s.answers.max, maxReason), asks), mem.LocalWrite); err != nil {
		return err
	}
	for i := range uint32(receives) {
		if err := s.ep.PostRecv(rdma.Recv{Into: s.in.at(i), Cookie: uint64(i)}); err != nil {
			return err
		}
	}
	number, met := introduce(s)
	defer introductions.Delete(number)
	h := hello{window: window, asks: asks, bytes: s.answers.max, number: number, values: hashOf(s.values.text), answers: hashOf(s.answers.text), text: s.text,
		message: s.in.size}
	s.conn, err = s.ep.Connect(ctx, address, rdma.ConnConfig{Private: h.marshal(a.Attributes().MaxPrivateData)})
	if err != nil {
		return rejection(err, s.text)
	}
	answer, err := parseHello(s.conn.PrivateData())
	if err == nil && (answer.window > window || answer.asks > asks || answer.slot < 0 || answer.slot > maxSlot ||
		s.values.codec == nil && (answer.bytes != s.values.max || answer.slot > max(s.values.max, 1))) {
		err = fmt.Errorf("a window of %d where %d was asked for, %d asks where %d, values of %d bytes in slots of %d",
			answer.window, window, answer.asks, asks, answer.bytes, answer.slot)
	}
	if err != nil {
		return fmt.Errorf("%w: its answer to the connection is wrong: %w", ErrProtocol, err)
	}
	s.window, s.values.max, s.values.slot = answer.window, answer.bytes, min(answer.slot, answer.bytes)
	s.record = headerSize + max(s.values.slot, mem.RemoteSize)
	if answer.message < s.record || answer.messages < 1 || answer.messages > answer.window {
		return fmt.Errorf("%w: its answer to the connection has %d messages of %d bytes", ErrProtocol, answer.messages, answer.message)
	}
	most := (s.window + answer.messages - 1) / answer.messages
	s.size, s.flight = min(answer.message, max(s.record, maxGather), area(most, s.record)), newFlight(answer.messages)
	s.asks, s.freeAsk = make([]*call[R], answer.asks), make([]uint32, answer.asks)
	for i := range s.freeAsk {
		s.freeAsk[i] = uint32(i)
	}
	waiting := (s.window+s.size/s.record-1)/(s.size/s.record) + 1 // messages that may not have left
	s.pending = make([]outgoing, 0, waiting+1)
	if s.out, err = newSlots(s.zone, min(waiting+2*answer.messages, 2*s.window), s.size, mem.LocalRead); err != nil {
		return err
	}
	s.recvs, s.sends = s.ep.RecvCompletions(), s.ep.SendCompletions()
	s.receives = receives
	s.near = s.localPeer(met, answer)
	s.ep.Describe(s.describe)
	context.AfterFunc(s.conn.Context(), s.atEnd)
	return nil
}

// Context is cancelled when the connection to the mailbox has ended. Its cause is a *[Lost].
func (s *Sender[T, R]) Context() context.Context { return s.ctx }

// RemoteAddr is the address of the mailbox.
func (s *Sender[T, R]) RemoteAddr() net.Addr { return s.conn.RemoteAddr() }

// Close ends the connection. Values that have left, other than asks, arrive if the mailbox has room
// for them within a second; call Flush before to know. Calls that wait end with [ErrUnknown] or
// [ErrNotDelivered]. Closing twice is harmless.
func (s *Sender[T, R]) Close() error {
	s.mu.Lock()
	if s.failure == nil && !s.over {
		s.failure = rdma.ErrClosed
		s.push()
	}
	s.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), s.endWait)
	defer cancel()
	s.awaitLent(ctx)
	s.mu.Lock()
	s.parting = true
	s.mu.Unlock()
	_ = s.conn.Shutdown(ctx)
	_ = s.conn.Close()
	<-s.ended
	s.pushers.Wait()
	return s.free()
}

// awaitLent waits until the mailbox has the values that it reads over this connection, and those
// that wait behind them or have not left.
func (s *Sender[T, R]) awaitLent(ctx context.Context) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.last <= s.left && (len(s.lent) == 0 || s.last < s.lent[0].seq) {
		return
	}
	c := s.newCall()
	defer s.drop(c)
	c.seq, c.flush = s.last, true
	_ = s.awaitPlaced(ctx, c) // the cause of Context says how it went
}

// free takes down what connect has made.
func (s *Sender[T, R]) free() error {
	s.cancel(rdma.ErrClosed)
	if s.ep != nil {
		_ = s.ep.Abort()
		_ = s.ep.Close()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.takeBack(s.posted)
	for _, m := range []*slots{s.in, s.out} {
		if m != nil {
			_ = m.region.Free()
		}
	}
	if s.zone != nil {
		return s.zone.Close()
	}
	return nil
}
