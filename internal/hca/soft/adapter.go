package soft

import (
	"context"
	"io"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/pages"
)

// adapter is what all objects of one open software adapter have in common.
type adapter struct {
	opt         hca.Options
	attr        hca.Attr
	log         *slog.Logger
	receiveWait time.Duration
	// paths are the ways to reach peers, in the order in which they are tried. They are set
	// when the adapter is opened.
	paths []path
	// connect makes a connection for a queue pair. It is set when the adapter is opened.
	connect func(ctx context.Context, q *qp, address string, p hca.ConnParams) error

	keys       keyTable
	pages      pages.Asker
	engine     engine
	rounds     rounds
	bg         background
	beginnings beginnings

	mu      sync.Mutex
	objects map[any]struct{} // everything that closing has to end
	closing bool
	done    chan struct{}
}

// newAttr is what an adapter is and can do. Its bounds are those of all paths.
func newAttr(name, address string, caps hca.Caps) hca.Attr {
	const many = 1 << 20
	return hca.Attr{
		Name: name, Vendor: "godapl", Firmware: "1.0", Address: address, Caps: caps,
		MaxQP: many, MaxCQ: many, MaxPD: many, MaxMR: maxKeys, MaxMW: maxKeys, MaxSRQ: many,
		MaxSendWR: 1 << 16, MaxRecvWR: 1 << 16, MaxSRQWR: 1 << 16, MaxCQE: 1 << 22,
		MaxSGE: maxSGE, MaxReadSGE: maxSGE, MaxMessage: 1 << 31, MaxRDMA: 1 << 31, MaxRegion: 1 << 46,
		MaxReadsIn: 128, MaxReadsOut: 128, MaxPrivateData: maxPrivate, Alignment: 64,
	}
}

// newAdapter makes an adapter without a way to connect.
func newAdapter(attr hca.Attr, opt hca.Options) *adapter {
	a := &adapter{opt: opt, attr: attr, log: opt.Log, receiveWait: opt.ReceiveWait, objects: make(map[any]struct{})}
	if a.log == nil {
		a.log = slog.New(slog.DiscardHandler)
	}
	if a.receiveWait == 0 {
		a.receiveWait = time.Second
	}
	a.engine.init(&a.rounds, a.bg.poller.look)
	a.bg.rounds, a.bg.poller.rounds = &a.rounds, &a.rounds
	return a
}

func (a *adapter) Attr() *hca.Attr { return &a.attr }

func (a *adapter) async(ev hca.AsyncEvent) {
	if a.opt.Async != nil {
		a.opt.Async(ev)
	}
}

// track enters an object that closing has to end.
func (a *adapter) track(op string, obj any) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.closing {
		return hca.NewError(hca.Closed, op, a.attr.Name, "the adapter has been closed")
	}
	a.objects[obj] = struct{}{}
	return nil
}

func (a *adapter) untrack(obj any) {
	a.mu.Lock()
	delete(a.objects, obj)
	a.mu.Unlock()
}

// close ends listeners and requests first, then queue pairs, then the rest, and what last
// ends when there are no objects any more.
func (a *adapter) close(last func()) {
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
	closeAll[*qp](a, objects)
	a.bg.close()
	closeAll[*mw](a, objects)
	closeAll[*mr](a, objects)
	closeAll[*srq](a, objects)
	closeAll[*cq](a, objects)
	closeAll[*pd](a, objects)
	a.engine.close()
	last()
	a.pages.Close()
}

func closeAll[T io.Closer](a *adapter, objects []any) {
	for _, o := range objects {
		if c, ok := o.(T); ok {
			if err := c.Close(); err != nil {
				a.log.Error("closing the adapter", "error", err)
			}
		}
	}
}

// numbers numbers connections and zones, so that keys can name them.
var numbers atomic.Uint64
