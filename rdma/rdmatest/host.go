package rdmatest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/rdma"
)

// Host is a simulated host with one process. Its name is its address: Listen("server:7471"), or
// Listen(":7471"), on the host "server" is what others dial as "server:7471".
type Host struct {
	w         *World
	name      string
	adapter   string // the name under which it is registered
	forget    []func()
	faults    Faults
	books     []*worldAdapter
	listeners map[string]*listener // guarded by w.mu, as everything below
	nextPort  int
	open      []*rdma.Adapter
	programs  []func(ctx context.Context)
	cancels   []context.CancelFunc // of the programs that run
	running   sync.WaitGroup
	dead      bool
	stopped   bool
	lives     int           // that were ended
	change    chan struct{} // has room for one: Kill and Restart take turns
	pauses    int           // by chance, as are limits
	limits    []int64
	readRate  int64 // bytes per second that its process takes from each stream; 0: no limit
}

// worlds numbers the adapters of all hosts of the process.
var worlds atomic.Uint64

// Host returns the host of that name, and makes it if there is none. A name consists of a-z, 0-9, '-',
// '_' and '.'.
func (w *World) Host(name string) *Host {
	w.mu.Lock()
	defer w.mu.Unlock()
	if h := w.known(name); h != nil {
		return h
	}
	return w.newHost(name, nil)
}

// known returns the host of that name, if there is one. The caller holds w.mu.
func (w *World) known(name string) *Host {
	for _, h := range w.hosts {
		if h.name == name {
			return h
		}
	}
	return nil
}

// newHost makes a host, of a machine if that is not nil. The caller holds w.mu.
func (w *World) newHost(name string, m *neighbours) *Host {
	h := &Host{w: w, name: name, listeners: map[string]*listener{}, nextPort: 49152, change: make(chan struct{}, 1)}
	h.faults.hit = func(c Call) {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.fired["fail "+c.String()]++
		w.record("fail", h.name+" "+c.String(), 0)
	}
	below := fmt.Sprintf("world-%d-%s-below", worlds.Add(1), name)
	h.adapter = strings.TrimSuffix(below, "-below")
	check(w.t, rdma.RegisterFabric(below, fabricOf(h, m)))
	h.forget = append(h.forget, func() { _ = rdma.UnregisterFabric(below) })
	h.forget = append(h.forget, hca.AddDriver(&driver{name: h.adapter, below: below, faults: &h.faults, host: h}))
	w.hosts = append(w.hosts, h)
	return h
}

// Name is the host's name, which is its address.
func (h *Host) Name() string { return h.name }

// Faults makes calls of the host's adapters fail.
func (h *Host) Faults() *Faults { return &h.faults }

// Open opens an adapter of the host's process, with iWARP over the world's streams. It is an adapter as
// others are; Dial and Listen take the names of hosts. The world closes it at its end. ErrUnreachable
// while the host is dead.
func (h *Host) Open(ctx context.Context, cfg rdma.OpenConfig) (*rdma.Adapter, error) {
	h.w.mu.Lock()
	dead, life := h.dead, h.lives
	h.w.mu.Unlock()
	if dead {
		return nil, errKilled(h)
	}
	a, err := rdma.Open(ctx, h.adapter, cfg)
	if err != nil {
		return nil, err
	}
	h.w.mu.Lock()
	killed := h.lives != life
	if !killed {
		h.open = append(h.open, a)
	}
	h.w.mu.Unlock()
	if killed {
		_ = a.Close()
		return nil, errKilled(h)
	}
	return a, nil
}

func errKilled(h *Host) error {
	return hca.NewError(hca.Unreachable, "open", h.name, "the host was killed: Restart it first")
}

// Stop stops the process from now on, as SIGSTOP does: it takes nothing from its streams and gives
// nothing to them. The system below it still takes as many bytes as fit into its buffers. The
// goroutines of the test are not stopped, and what they call on the host's adapters is carried out
// later, if it needs the network.
func (h *Host) Stop() { h.set("stop", func() { h.stopped = true }) }

// Continue ends Stop.
func (h *Host) Continue() { h.set("continue", func() { h.stopped = false }) }

// SlowReader limits what the process takes from each of its streams, in bytes per second; 0: no limit.
func (h *Host) SlowReader(bytesPerSecond int) {
	h.set("slow reader", func() { h.readRate = int64(bytesPerSecond) })
}

// Kill ends the process at once: its streams are reset, its listeners are gone, and its adapters are
// closed. It returns when they are, and the programs of [Host.Run] have returned. Nothing that the process had not sent is sent any more.
func (h *Host) Kill() {
	h.change <- struct{}{}
	defer func() { <-h.change }()
	h.set("kill", h.die)
	_ = h.quit()
}

// Restart lets a killed host open adapters again, and starts the programs of [Host.Run]. It does nothing to a host that
// is alive. It waits for a Kill that has not returned.
func (h *Host) Restart() {
	h.change <- struct{}{}
	defer func() { <-h.change }()
	h.w.mu.Lock()
	dead := h.dead
	h.w.mu.Unlock()
	if !dead {
		return
	}
	h.set("restart", func() {
		h.dead, h.open = false, nil
		for _, program := range h.programs {
			h.start(program)
		}
	})
}

// die resets the host's streams. The caller holds w.mu.
func (h *Host) die() {
	h.dead, h.stopped, h.pauses = true, false, 0
	h.lives++
	for _, y := range h.w.ways {
		if y.from == h || y.to == h {
			y.s.reset()
		}
	}
	h.w.sweep()
	h.orphan()
}

// set changes the host, and tells the scheduler.
func (h *Host) set(what string, change func()) {
	h.w.mu.Lock()
	if what == "kill" || !h.w.closing {
		h.w.record(what, h.name, 0)
		h.w.fired[what]++
		change()
		h.stir()
	}
	h.w.mu.Unlock()
	h.w.wakeScheduler()
}

func (h *Host) adapters() []*rdma.Adapter {
	h.w.mu.Lock()
	defer h.w.mu.Unlock()
	return append([]*rdma.Adapter(nil), h.open...)
}

// heal ends what would keep the adapters from ending soon, and all plans that would begin it. The caller holds w.mu.
func (w *World) heal() {
	w.closing, w.chaos, w.failures, w.late = true, 0, nil, nil
	w.plans = slices.DeleteFunc(w.plans, func(p *plan) bool { return p.what != dialled && p.what != timedVisible })
	for _, h := range w.hosts {
		h.stopped, h.pauses, h.readRate, h.limits = false, 0, 0, nil
		h.faults.forget(true)
		h.stir()
	}
	for _, l := range w.links {
		l.parted, l.partings, l.delays = false, 0, 0
	}
}

func (h *Host) remove() {
	for i := len(h.forget) - 1; i >= 0; i-- {
		h.forget[i]()
	}
}
