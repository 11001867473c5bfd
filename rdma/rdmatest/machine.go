package rdmatest

import (
	"context"
	"errors"
	"net"
	"slices"
	"strconv"
	"strings"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/sharedmem/neighbour"
	"github.com/godapl/godapl/internal/shm"
	"github.com/godapl/godapl/rdma"
)

// Machine makes hosts that are processes of one machine: what they send one another goes over memory that they
// share, as between two processes of a user (adapter "soft"), and to other hosts over the network. Each has an address
// of its own, which is its name. The hosts must be new. It needs Linux; elsewhere they use the network alone.
//
// The memory is the system's, and mapped by both sides. Doorbells, messages that bring descriptors, and the end of a process
// are steps of the world. No link is between such connections, so only what happens to the processes breaks them.
// What a program of a stopped process calls is carried out at once, as far as it needs nothing of the peer.
func (w *World) Machine(names ...string) []*Host {
	w.t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	m := &neighbours{w: w}
	for _, name := range names {
		if w.known(name) != nil {
			w.t.Fatalf("rdmatest: there is a host %q already", name)
		}
		h := w.newHost(name, m)
		m.hosts = append(m.hosts, h)
	}
	return m.hosts
}

// neighbours are several hosts that share memory. The world's lock guards it.
type neighbours struct {
	w     *World
	hosts []*Host
}

// process is one of its hosts: how its adapters find the others. It implements neighbour.Simulation.
type process struct {
	h *Host
	m *neighbours
}

// machineFabric is the fabric of a host of a machine.
type machineFabric struct {
	*fabric
	p *process
}

// Simulation implements soft.Simulator.
func (f *machineFabric) Simulation() neighbour.Simulation { return f.p }

// fabricOf is the fabric of a host. m is nil if it is alone.
func fabricOf(h *Host, m *neighbours) rdma.Fabric {
	if m == nil || !sharesMemory {
		return &fabric{h}
	}
	return &machineFabric{&fabric{h}, &process{h, m}}
}

// Name implements neighbour.Machine.
func (p *process) Name(host string) (name string, here bool) {
	if host == "" {
		return p.h.name, true
	}
	p.m.w.mu.Lock()
	defer p.m.w.mu.Unlock()
	return host, slices.Contains(p.m.hosts, p.m.w.known(host))
}

// The sockets with which processes of a machine meet are streams of the world. Their services have names of their own.
func localService(host string, service uint64) string {
	return net.JoinHostPort(host, "shm/"+strconv.FormatUint(service, 10))
}

// Serve implements neighbour.Machine.
func (p *process) Serve(_ string, service uint64) (neighbour.Listener, error) {
	l, err := (&fabric{p.h}).Listen(context.Background(), localService(p.h.name, service))
	switch {
	case errors.Is(err, hca.ServiceInUse):
		return nil, &shm.Error{Op: "listen", Code: shm.ErrInUse, Err: err}
	case err != nil:
		return nil, &shm.Error{Op: "listen", Code: shm.ErrResources, Err: err}
	}
	return machineListener{l}, nil
}

// Find implements neighbour.Machine.
func (p *process) Find(ctx context.Context, name string, service uint64) (neighbour.Socket, error) {
	c, err := (&fabric{p.h}).Dial(ctx, localService(name, service))
	switch {
	case errors.Is(err, hca.Refused), errors.Is(err, hca.Unreachable):
		return nil, &shm.Error{Op: "dial", Code: shm.ErrNobody, Err: err}
	case err != nil:
		return nil, &shm.Error{Op: "dial", Code: shm.ErrAgain, Err: err}
	}
	return newSocket(c.(*end)), nil
}

// machineListener is a listener whose streams become sockets.
type machineListener struct{ net.Listener }

func (l machineListener) Accept() (neighbour.Socket, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, &shm.Error{Op: "accept", Code: shm.ErrClosed, Err: err}
	}
	return newSocket(c.(*end)), nil
}

// sharedEnd is one end of a connection over shared memory. The world's lock guards it.
type sharedEnd struct {
	h     *Host
	name  string // orders the steps
	conn  neighbour.Watched
	ended bool // it knows that the peer has gone
}

// Watch implements neighbour.Simulation.
func (p *process) Watch(c neighbour.Watched, s neighbour.Socket) {
	w := p.m.w
	w.mu.Lock()
	defer w.mu.Unlock()
	n := &sharedEnd{h: p.h, name: s.(*socket).e.out.name, conn: c}
	w.sharedEnds = append(w.sharedEnds, n)
	if p.h.dead {
		c.Die()
	}
	w.wakeScheduler() // something may have come already
}

// Unwatch implements neighbour.Simulation.
func (p *process) Unwatch(c neighbour.Watched) {
	w := p.m.w
	w.mu.Lock()
	defer w.mu.Unlock()
	for i, n := range w.sharedEnds {
		if n.conn == c {
			w.sharedEnds = append(w.sharedEnds[:i], w.sharedEnds[i+1:]...)
			return
		}
	}
}

// Stirred implements neighbour.Simulation.
func (p *process) Stirred() { p.m.w.wakeScheduler() }

// machineSteps adds the steps of connections over shared memory. The caller holds w.mu.
func (w *World) machineSteps(all []step) []step {
	for _, n := range w.sharedEnds {
		if !n.h.runs() || n.h.dead {
			continue
		}
		rung, told, ended := n.conn.Pending()
		if rung {
			all = append(all, step{n.name + " bell", func() {
				w.record("ring", n.name, 0)
				w.rings = append(w.rings, n.conn.Rung)
			}})
		}
		if told && !n.ended {
			all = append(all, step{n.name + " socket", func() {
				n.ended = ended
				w.record("socket", n.name, 0)
				w.rings = append(w.rings, func() { n.conn.Told(ended) })
			}})
		}
	}
	return all
}

// livingEnds are the ends of connections over shared memory whose processes live, in an order that does not depend on
// goroutines. The caller holds w.mu.
func (w *World) livingEnds() (all []*sharedEnd) {
	for _, n := range w.sharedEnds {
		if !n.h.dead {
			all = append(all, n)
		}
	}
	slices.SortStableFunc(all, func(a, b *sharedEnd) int { return strings.Compare(a.name, b.name) })
	return all
}

// orphan ends what a process shares with others. The caller holds w.mu.
func (h *Host) orphan() {
	for _, n := range h.w.sharedEnds {
		if n.h == h {
			n.conn.Die()
		}
	}
}
