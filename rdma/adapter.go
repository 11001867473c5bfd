package rdma

import (
	"context"
	"fmt"
	"log/slog"
	"sync"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/zonemem"
	"github.com/godapl/godapl/rdma/event"
)

// Adapter is one open adapter (uDAPL: IA; verbs: device and context). Everything
// else is made from it.
type Adapter struct {
	name  string
	hca   hca.Adapter
	attr  *hca.Attr
	log   *slog.Logger
	async asyncOut

	// ends is held while an end of an endpoint with a shared receive queue is told.
	ends sync.Mutex

	mu      sync.Mutex
	closed  bool
	done    chan struct{} // closed at the end of Close
	objects map[object]struct{}
	queues  map[hca.CQ]*CompletionQueue // all, those of endpoints included
}

func openAdapter(ctx context.Context, d hca.Driver, name string, opt OpenConfig) (*Adapter, error) {
	a := &Adapter{name: name, log: opt.Log, done: make(chan struct{}), objects: map[object]struct{}{},
		queues: map[hca.CQ]*CompletionQueue{}}
	if a.log == nil {
		a.log = slog.New(slog.DiscardHandler)
	}
	capture, err := opt.Capture.lower()
	if err != nil {
		return nil, err
	}
	a.async.init(a, opt.Async)
	h, err := d.Open(ctx, name, hca.Options{Async: a.async.fromHCA, Log: opt.Log, ReceiveWait: opt.ReceiveWait, ListenWait: opt.ListenWait, Capture: capture})
	if err != nil {
		a.async.close()
		return nil, hca.Named(err, "open", name)
	}
	a.hca, a.attr = h, h.Attr()
	return a, nil
}

// Name is what the adapter was opened by.
func (a *Adapter) Name() string { return a.name }

// Attributes says what the adapter is and how much it has (uDAPL:
// dat_ia_query).
func (a *Adapter) Attributes() Attributes { return attributesOf(a.attr) }

// Async is the dispatcher of asynchronous errors. If they go to a sink of the program
// ([OpenConfig]), it is a closed one. It holds the first 128 events that nobody has taken.
// [AsyncLastReceive], which ends of healthy connections make, takes at most half of
// that room, so that a program that does not look at them still finds the errors.
// What does not fit is logged, and counted by [Adapter.AsyncLost].
func (a *Adapter) Async() *event.Dispatcher[AsyncError] {
	if a.async.own == nil {
		return sunkAsync()
	}
	return a.async.own
}

// sunkAsync stands for the dispatchers of all adapters with a sink.
var sunkAsync = sync.OnceValue(func() *event.Dispatcher[AsyncError] { return elsewhere[AsyncError]("asynchronous errors") })

// AsyncLost counts the asynchronous events that found no room, in [Adapter.Async] or
// in the sink of the program.
func (a *Adapter) AsyncLost() uint64 { return a.async.lost.Load() }

// NewZone makes a protection zone (uDAPL: dat_pz_create).
func (a *Adapter) NewZone() (*Zone, error) {
	const op = "new zone"
	pd, err := a.hca.NewPD()
	if err != nil {
		return nil, hca.Named(err, op, "of "+a.name)
	}
	z := &Zone{adapter: a, pd: pd, number: uint64(numbers.zones.Add(1))}
	z.memory = zonemem.New(pd, fmt.Sprintf("zone %d of %s", z.number, a.name), z.number).(zoneMemory)
	if err := a.add(op, z); err != nil {
		pd.Close()
		return nil, err
	}
	return z, nil
}

// Dial makes an endpoint and connects it: NewEndpoint and [Endpoint.Connect], with
// EndpointConfig.Private as the private data. The endpoint belongs to the connection:
// [Conn.Close] closes both.
func (a *Adapter) Dial(ctx context.Context, address string, cfg EndpointConfig) (*Conn, error) {
	const op = "dial"
	e, err := a.newEndpoint(op, cfg)
	if err != nil {
		return nil, hca.Named(err, op, tagged(addressName(address), cfg.Tag))
	}
	e.ofConn = true
	c, err := e.connect(ctx, op, address, cfg.Private)
	if err != nil {
		e.Close()
		return nil, err
	}
	return c, nil
}

// Close ends everything that was made from the adapter, abruptly, and waits for
// the adapter's goroutines (uDAPL: dat_ia_close, abrupt). Connections end, what
// is posted is flushed, regions are freed, waiting calls return ErrClosed or
// the cause of their connection's end. Dispatchers of the program stay open.
func (a *Adapter) Close() error {
	a.mu.Lock()
	if a.closed {
		a.mu.Unlock()
		<-a.done
		return nil
	}
	a.closed = true
	left := a.objects
	a.objects = map[object]struct{}{}
	a.mu.Unlock()
	return a.finish(left)
}

// finish ends what is left, users before what they use.
func (a *Adapter) finish(left map[object]struct{}) error {
	defer close(a.done)
	for _, kind := range [...]string{kindListener, kindEndpoint, kindInbox, kindSharedReceive, kindCompletionQueue, kindZone} {
		for o := range left {
			if o.kind() == kind {
				o.end()
			}
		}
	}
	err := a.hca.Close()
	a.async.close()
	return hca.Named(err, "close", a.String())
}

// CloseIdle closes the adapter if nothing is left that was made from it, and
// otherwise fails with ErrInUse, says what is left and changes nothing (uDAPL:
// dat_ia_close, graceful).
func (a *Adapter) CloseIdle() error {
	a.mu.Lock()
	if a.closed {
		a.mu.Unlock()
		<-a.done
		return nil
	}
	if len(a.objects) > 0 {
		left := a.census()
		a.mu.Unlock()
		return hca.NewError(hca.InUse, "close", a.String(), "it still has "+left+": close those first, or use Close")
	}
	a.closed = true
	a.mu.Unlock()
	return a.finish(nil)
}
