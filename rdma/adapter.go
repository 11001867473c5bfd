package rdma

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/wait"
	"github.com/godapl/godapl/internal/zonemem"
	"github.com/godapl/godapl/rdma/event"
)

// Adapter is an open adapter (uDAPL: IA; verbs: device and context). All other objects are
// created from it.
type Adapter struct {
	name   string
	hca    hca.Adapter
	attr   *hca.Attr
	log    *slog.Logger
	logged *logQueue // nil: nobody is told
	conns  connLog
	// recording: connections have flight recorders.
	recording bool
	latency   bool // connections measure how long requests take
	async     asyncOut
	crowd     wait.Crowd // goroutines that sleep for completions of this adapter

	ends endQueue

	mu      sync.Mutex
	closed  bool
	done    chan struct{}     // closed at the end of Close
	objects map[object]uint64 // with their numbers in the order of their making
	made    uint64
	queues  map[hca.CQ]*CompletionQueue // all, including those of endpoints
	past    struct {                    // counters of what was closed; guarded by mu
		ops    Stats
		queues QueueStats
	}
	met struct{ established, disconnected, broken atomic.Uint64 } // connections
}

func openAdapter(ctx context.Context, d hca.Driver, name string, opt OpenConfig) (*Adapter, error) {
	a := &Adapter{name: name, done: make(chan struct{}), objects: map[object]uint64{}, queues: map[hca.CQ]*CompletionQueue{}}
	a.log, a.logged = queued(name, opt.Log)
	a.conns.log = a.log
	capture, err := opt.Capture.toHCA()
	if err != nil {
		return nil, err
	}
	if a.recording, err = switched(opt.FlightRecorder, "GODAPL_FLIGHT"); err != nil {
		return nil, err
	}
	if a.latency, err = switched(opt.Latency, "GODAPL_LATENCY"); err != nil {
		return nil, err
	}
	a.async.init(a, opt.Async)
	h, err := d.Open(ctx, name, hca.Options{Async: a.async.fromHCA, Log: a.log, Refused: a.refusedBelow, ReceiveWait: opt.ReceiveWait, ListenWait: opt.ListenWait, Capture: capture, TLS: opt.TLS, TLSNetworkOnly: opt.TLSNetworkOnly})
	if err != nil {
		a.async.close()
		a.logged.flush()
		return nil, hca.Named(err, "open", name)
	}
	a.hca, a.attr = h, h.Attr()
	return a, nil
}

// Name is the name that was passed to Open.
func (a *Adapter) Name() string { return a.name }

// Attributes returns the adapter's address, capabilities and limits (uDAPL: dat_ia_query).
func (a *Adapter) Attributes() Attributes { return attributesOf(a.attr) }

// Async is the dispatcher of asynchronous errors. If a sink takes them ([OpenConfig]), Async
// returns a closed dispatcher. The dispatcher holds 128 events; events that find it full are
// logged and counted by [Adapter.AsyncLost]. [AsyncLastReceive], which normal ends of
// connections cause, takes at most half of the places, so that it does not displace errors.
func (a *Adapter) Async() *event.Dispatcher[AsyncError] {
	if a.async.own == nil {
		return sunkAsync()
	}
	return a.async.own
}

// sunkAsync stands for the dispatchers of all adapters with a sink.
var sunkAsync = sync.OnceValue(func() *event.Dispatcher[AsyncError] { return elsewhere[AsyncError]("asynchronous errors") })

// AsyncLost counts the asynchronous events that were lost because [Adapter.Async] or the
// program's sink was full.
func (a *Adapter) AsyncLost() uint64 { return a.async.lost.Load() }

// NewZone creates a protection zone (uDAPL: dat_pz_create).
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

// Close abruptly ends all objects that were created from the adapter and waits for the
// adapter's goroutines (uDAPL: dat_ia_close, abrupt). Connections end, posted operations are
// flushed, regions are freed, and waiting calls return ErrClosed or the cause of their
// connection's end. Dispatchers of the program stay open.
func (a *Adapter) Close() error {
	a.mu.Lock()
	if a.closed {
		a.mu.Unlock()
		<-a.done
		return nil
	}
	a.closed = true
	left := slices.SortedFunc(maps.Keys(a.objects), func(x, y object) int { return cmp.Compare(a.objects[x], a.objects[y]) })
	a.mu.Unlock()
	return a.finish(left) // what is left stays in the list, and in the counters, until it has ended
}

// finish closes the remaining objects, each before the objects that it uses, and otherwise in the order in which
// they were made: peers see the same order each time.
func (a *Adapter) finish(left []object) error {
	defer close(a.done)
	for _, kind := range [...]string{kindListener, kindEndpoint, kindInbox, kindSharedReceive, kindCompletionQueue, kindZone} {
		for _, o := range left {
			if o.kind() == kind {
				o.end()
			}
		}
	}
	a.mu.Lock()
	clear(a.objects)
	a.mu.Unlock()
	err := a.hca.Close()
	a.conns.close()
	a.async.close()
	a.logged.flush()
	return hca.Named(err, "close", a.String())
}

// CloseIdle closes the adapter if no object created from it is left. Otherwise it changes
// nothing and fails with ErrInUse; the error lists the objects (uDAPL: dat_ia_close,
// graceful).
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
