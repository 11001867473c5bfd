package soft

import (
	"context"
	"log/slog"
	"net"
	"sync"
	"time"

	"github.com/godapl/godapl/internal/capture"
	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/pages"
)

// A Fabric makes the byte streams that the network path runs over.
type Fabric interface {
	Dial(ctx context.Context, address string) (net.Conn, error)
	Listen(ctx context.Context, address string) (net.Listener, error)
}

type driver struct {
	name   string
	loop   bool
	shm    bool
	fabric Fabric // nil: no network path
	tcp    bool   // fabric is TCP of this host
}

// Driver is the built-in software adapter. path is "" (chosen at connect
// time), "loop" (in-process only), "shm" (this host only) or "tcp" (network only);
// its names are "soft", "soft-loop", "soft-shm" and "soft-tcp".
func Driver(path string) hca.Driver {
	switch path {
	case "":
		return &driver{name: "soft", loop: true, shm: true, fabric: tcpFabric{}, tcp: true}
	case "loop":
		return &driver{name: "soft-loop", loop: true}
	case "shm":
		return &driver{name: "soft-shm", shm: true}
	case "tcp":
		return &driver{name: "soft-tcp", fabric: tcpFabric{}, tcp: true}
	}
	panic("soft: no path " + path)
}

// FabricDriver is a software adapter over streams that f makes.
func FabricDriver(name string, f Fabric) hca.Driver { return &driver{name: name, fabric: f} }

func (d *driver) Names() []string { return []string{d.name} }

func (d *driver) Open(_ context.Context, name string, opt hca.Options) (hca.Adapter, error) {
	if name != d.name {
		return nil, hca.NewError(hca.NotFound, "open", name, "this driver has "+d.name)
	}
	a := &adapter{d: d, fabric: d.fabric, opt: opt, objects: make(map[any]struct{}), attr: attributes(d)}
	a.log = opt.Log
	if a.log == nil {
		a.log = slog.New(slog.DiscardHandler)
	}
	a.receiveWait = opt.ReceiveWait
	if a.receiveWait == 0 {
		a.receiveWait = time.Second
	}
	if err := a.startCapture(); err != nil {
		return nil, err
	}
	a.engine.init(&a.rounds, a.net.poller.look)
	a.net.rounds, a.net.poller.rounds = &a.rounds, &a.rounds
	a.enroll()
	return a, nil
}

// maxSGE is how many segments a request or a receive has at most.
const maxSGE = 16

func attributes(d *driver) hca.Attr {
	caps := hca.CapAtomics | hca.CapSolicited | hca.CapSolicitedTold | hca.CapWriteImm | hca.CapSendInvalidate | hca.CapZoneWindows |
		hca.CapEndpointWindows | hca.CapSRQ | hca.CapSRQLimit | hca.CapResizeCQ | hca.CapReceiveWait
	address := "loop"
	if d.shm {
		address = "localhost"
	}
	if d.loop || d.shm {
		caps |= hca.CapSendImm
	}
	if d.fabric != nil {
		address = hostAddress(d)
	}
	const many = 1 << 20
	return hca.Attr{
		Name: d.name, Vendor: "godapl", Firmware: "1.0", Address: address, Caps: caps,
		MaxQP: many, MaxCQ: many, MaxPD: many, MaxMR: maxKeys, MaxMW: maxKeys, MaxSRQ: many,
		MaxSendWR: 1 << 16, MaxRecvWR: 1 << 16, MaxSRQWR: 1 << 16, MaxCQE: 1 << 22,
		MaxSGE: maxSGE, MaxReadSGE: maxSGE, MaxMessage: 1 << 31, MaxRDMA: 1 << 31, MaxRegion: 1 << 46,
		MaxReadsIn: 128, MaxReadsOut: 128, MaxPrivateData: maxPrivate, Alignment: 64,
	}
}

// adapter is one open software adapter.
type adapter struct {
	d           *driver
	fabric      Fabric        // the driver's, captured or not
	capture     *capture.File // nil: none
	opt         hca.Options
	attr        hca.Attr
	log         *slog.Logger
	receiveWait time.Duration
	keys        keyTable
	pages       pages.Asker
	engine      engine
	rounds      rounds
	net         network
	files       files
	boardMu     sync.Mutex // makes the board
	able        shmAble

	mu      sync.Mutex
	objects map[any]struct{} // everything that Close has to end
	closing bool
	done    chan struct{}
}

func (a *adapter) Attr() *hca.Attr { return &a.attr }

func (a *adapter) async(ev hca.AsyncEvent) {
	if a.opt.Async != nil {
		a.opt.Async(ev)
	}
}

// track enters an object that Close has to end.
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

// Close ends listeners and requests first, then queue pairs, then the rest.
func (a *adapter) Close() error {
	a.mu.Lock()
	if a.closing {
		done := a.done
		a.mu.Unlock()
		<-done
		return nil
	}
	a.closing = true
	a.done = make(chan struct{})
	objects := make([]any, 0, len(a.objects))
	for o := range a.objects {
		objects = append(objects, o)
	}
	a.mu.Unlock()
	defer close(a.done)

	closeAll[*listener](a, objects)
	closeAll[*loopRequest](a, objects)
	closeAll[*shmRequest](a, objects)
	closeAll[*streamRequest](a, objects)
	closeAll[*qp](a, objects)
	a.net.close()
	closeAll[*mw](a, objects)
	closeAll[*mr](a, objects)
	closeAll[*srq](a, objects)
	closeAll[*cq](a, objects)
	closeAll[*pd](a, objects)
	a.closeBoard()
	a.engine.close()
	a.strike()
	a.endCapture()
	a.pages.Close()
	return nil
}

func closeAll[T interface{ Close() error }](a *adapter, objects []any) {
	for _, o := range objects {
		if c, ok := o.(T); ok {
			if err := c.Close(); err != nil {
				a.log.Error("closing the adapter", "error", err)
			}
		}
	}
}
