package core

import (
	"context"
	"io"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/flight"
	"github.com/godapl/godapl/internal/hca/soft/accepts"
	"github.com/godapl/godapl/internal/hca/soft/conns"
	"github.com/godapl/godapl/internal/hca/soft/progress"
	"github.com/godapl/godapl/internal/pages"
)

// Adapter is what all objects of one open software adapter have in common.
type Adapter struct {
	Options     hca.Options
	Attrs       hca.Attr
	Log         *slog.Logger
	ReceiveWait time.Duration
	// Paths are the ways to reach peers, in the order in which they are tried. They are set when the adapter
	// is opened.
	Paths []Path
	// Connect connects a queue pair. It is set when the adapter is opened.
	Connect func(ctx context.Context, q *QP, address string, p hca.ConnParams) error

	Keys       KeyTable
	pages      pages.Asker
	Engine     progress.Engine
	Rounds     progress.Counters
	Background progress.Background
	Accepts    accepts.Set

	clock   flight.Clock // of the recorders
	mu      sync.Mutex
	ticking bool             // the clock runs
	objects map[any]struct{} // everything that Shutdown has to end
	closing bool
	done    chan struct{}

	connected conns.Small[*CQ] // queues that have connections
}

// caps are what package core does alone, whatever the path.
const caps = hca.CapZoneWindows | hca.CapEndpointWindows | hca.CapSRQ | hca.CapSRQLimit | hca.CapResizeCQ | hca.CapRefuse

// NewAttr returns the attributes of an adapter. Its limits are those of all paths. ofPaths are the capabilities
// for which a path does something.
func NewAttr(name, address string, ofPaths hca.Caps) hca.Attr {
	const many = 1 << 20
	return hca.Attr{
		Name: name, Vendor: "godapl", Firmware: "1.0", Address: address, Caps: caps | ofPaths,
		MaxQP: many, MaxCQ: many, MaxPD: many, MaxMR: maxKeys, MaxMW: maxKeys, MaxSRQ: many,
		MaxSendWR: 1 << 16, MaxRecvWR: 1 << 16, MaxSRQWR: 1 << 16, MaxCQE: 1 << 22,
		MaxSGE: MaxSGE, MaxReadSGE: MaxSGE, MaxMessage: 1 << 31, MaxRDMA: 1 << 31, MaxRegion: 1 << 46,
		MaxReadsIn: 128, MaxReadsOut: 128, MaxPrivateData: MaxPrivate, Alignment: 64,
	}
}

// NewAdapter makes an adapter without paths.
func NewAdapter(attr hca.Attr, opt hca.Options) *Adapter {
	a := &Adapter{Options: opt, Attrs: attr, Log: opt.Log, ReceiveWait: opt.ReceiveWait, objects: make(map[any]struct{})}
	if a.Log == nil {
		a.Log = slog.New(slog.DiscardHandler)
	}
	if a.ReceiveWait == 0 {
		a.ReceiveWait = time.Second
	}
	a.Engine.Init(&a.Rounds, a.Background.Poller.Poll)
	a.Engine.Adapter, a.Background.Adapter, a.Background.Poller.Adapter = attr.Name, attr.Name, attr.Name
	a.Background.Rounds, a.Background.Poller.Rounds = &a.Rounds, &a.Rounds
	return a
}

func (a *Adapter) Attr() *hca.Attr { return &a.Attrs }

func (a *Adapter) Async(ev hca.AsyncEvent) {
	if a.Options.Async != nil {
		a.Options.Async(ev)
	}
}

// Track enters an object that Shutdown has to end.
func (a *Adapter) Track(op string, obj any) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.closing {
		return hca.NewError(hca.Closed, op, a.Attrs.Name, "the adapter has been closed")
	}
	a.objects[obj] = struct{}{}
	return nil
}

func (a *Adapter) Untrack(obj any) {
	a.mu.Lock()
	delete(a.objects, obj)
	a.mu.Unlock()
}

// Shutdown ends listeners and requests first, then queue pairs, then the rest. It calls last when no objects
// are left.
func (a *Adapter) Shutdown(last func()) {
	a.mu.Lock()
	if a.closing {
		done := a.done
		a.mu.Unlock()
		<-done
		return
	}
	a.closing = true
	a.done = make(chan struct{})
	objects := make([]any, 0, len(a.objects))
	for o := range a.objects {
		objects = append(objects, o)
	}
	a.mu.Unlock()
	defer close(a.done)

	closeAll[interface {
		hca.Listener
		io.Closer
	}](a, objects)
	closeAll[interface {
		hca.ConnRequest
		io.Closer
	}](a, objects)
	closeAll[*QP](a, objects)
	a.Background.Close()
	closeAll[*mw](a, objects)
	closeAll[*MR](a, objects)
	closeAll[*SRQ](a, objects)
	closeAll[*CQ](a, objects)
	closeAll[*PD](a, objects)
	a.Engine.Close()
	last()
	a.pages.Close()
}

func closeAll[T io.Closer](a *Adapter, objects []any) {
	for _, o := range objects {
		if c, ok := o.(T); ok {
			if err := c.Close(); err != nil {
				a.Log.Error("closing the adapter", "error", err)
			}
		}
	}
}

// Numbers numbers connections and protection domains, so that other processes can name them.
var Numbers atomic.Uint64
