package fakeibv

import (
	"math/rand/v2"
	"net/netip"
	"sync"
	"time"

	"github.com/godapl/godapl/internal/hca/verbs/ibv"
	"github.com/godapl/godapl/internal/pages"
)

// Config describes a world.
type Config struct {
	// Seed decides the order of steps, and what Odd and Trouble choose.
	Seed uint64
	// Devices are the names of the devices. nil: one, fake0.
	Devices []string
	// Vendor is the vendor of the devices. With that of rxe or siw the adapter behaves as it does there; the
	// devices do not. 0: one that the adapter does not know.
	Vendor uint32
	// Stepped: the test takes the steps.
	Stepped bool
	// Odd is the chance, from 0 to 1, of each oddity that is legal: an event of a
	// completion queue without a reason, a flushed completion that does not come, an
	// asynchronous event that is not raised.
	Odd float64
	// Trouble is the chance of each failure: of a call, or of an answer of the connection
	// manager.
	Trouble float64
}

// World is one host with simulated devices. Its methods may be called concurrently.
type World struct {
	mu      sync.Mutex
	acked   *sync.Cond
	rng     *rand.Rand
	cfg     Config
	lib     *ibv.Lib
	closes  []func()
	devs    []*device
	removed []*device
	lists   map[uintptr][]*device // that rdma_get_devices has given
	live    map[uintptr]any
	keys    map[uint32]any // *mr or *mw
	faults  []string
	reading []asyncEvent // read and not acknowledged
	// unconnected are the errors of the next calls of rdma_connect.
	unconnected []ibv.Errno
	unarmed     []ibv.Errno // likewise, of ibv_req_notify_cq
	unresized   []ibv.Errno // likewise, of ibv_resize_cq
	counts      map[string]int

	ready  []*lane
	lanes  int
	kick   chan struct{}
	stop   chan struct{}
	done   chan struct{}
	timers sync.WaitGroup

	nextNum  uint32
	nextKey  uint32
	nextPort uint16
	buf      []byte
	pages    pages.Asker
}

// New makes a world. Close ends it.
func New(cfg Config) *World {
	if cfg.Devices == nil {
		cfg.Devices = []string{"fake0"}
	}
	if cfg.Vendor == 0 {
		cfg.Vendor = 0xFA4E
	}
	w := &World{
		cfg: cfg, rng: rand.New(rand.NewPCG(cfg.Seed, 0)), live: map[uintptr]any{},
		keys: map[uint32]any{}, counts: map[string]int{}, lists: map[uintptr][]*device{},
		kick: make(chan struct{}, 1), stop: make(chan struct{}), done: make(chan struct{}), nextPort: 40000,
	}
	w.acked = sync.NewCond(&w.mu)
	for i, name := range cfg.Devices {
		w.devs = append(w.devs, w.newDevice(name, netip.AddrFrom4([4]byte{192, 0, 2, byte(1 + i)})))
	}
	table := w.functions()
	lib, release := ibv.Serve(func(name string) ibv.Func { return table[name] })
	w.lib, w.closes = lib, append(w.closes, release)
	if cfg.Stepped {
		close(w.done)
	} else {
		go w.run()
	}
	return w
}

// Lib is the libraries.
func (w *World) Lib() *ibv.Lib { return w.lib }

// Names are the devices.
func (w *World) Names() []string { return w.cfg.Devices }

// Addrs are the addresses of the devices.
func (w *World) Addrs() (all []netip.Addr) {
	for _, d := range w.devs {
		all = append(all, d.addr)
	}
	return all
}

// Close ends the world. Adapters on it have been closed before.
func (w *World) Close() {
	close(w.stop)
	<-w.done
	w.timers.Wait()
	w.pages.Close()
	for _, f := range w.closes {
		f()
	}
	for _, d := range append(w.devs, w.removed...) {
		d.free()
	}
}

// run takes the steps by itself.
func (w *World) run() {
	defer close(w.done)
	for {
		select {
		case <-w.stop:
			return
		case <-w.kick:
		}
		for w.Step() {
		}
	}
}

// after calls f with mu held when the time has passed, unless the result is called before,
// also with mu held.
func (w *World) after(d time.Duration, f func()) (cancel func()) {
	off := false
	w.timers.Add(1)
	t := time.AfterFunc(d, func() {
		defer w.timers.Done()
		w.mu.Lock()
		defer w.mu.Unlock()
		if !off {
			f()
		}
	})
	return func() {
		off = true
		if t.Stop() {
			w.timers.Done()
		}
	}
}

// odd draws whether an oddity happens, and counts it.
func (w *World) odd(what string) bool { return w.draw(w.cfg.Odd, what) }

func (w *World) draw(chance float64, what string) bool {
	if chance == 0 || w.rng.Float64() >= chance {
		return false
	}
	w.counts[what]++
	return true
}
