package sharedmem

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/core"
	"github.com/godapl/godapl/internal/hca/soft/halfopen"
	"github.com/godapl/godapl/internal/hca/soft/sharedmem/group"
	"github.com/godapl/godapl/internal/hca/soft/sharedmem/keydir"
	"github.com/godapl/godapl/internal/hca/soft/sharedmem/neighbour"
)

// Path is the path to other processes of this host and user.
type Path struct {
	a           *core.Adapter
	files       files
	directoryMu sync.Mutex                       // guards the making of the key directory
	directory   atomic.Pointer[keydir.Directory] // what other processes see of the adapter's keys; nil: nothing
	able        ability
	doorbells   atomic.Int32 // connections whose doorbell is in Go's poller
	groups      group.Groups
	ringers     group.Ringers
	halfOpen    halfopen.Streams[neighbour.Socket]
	machine     neighbour.Machine
	simulation  neighbour.Simulation // nil: the machine is the system's
}

// NewPath makes the path of an adapter. in is nil, but for the process of a simulation.
func NewPath(a *core.Adapter, in neighbour.Simulation) *Path {
	p := &Path{a: a, machine: in, simulation: in}
	p.halfOpen.Grace = time.Second / 2 // processes of one user are not hostile, and may be many
	if in == nil {
		p.machine = neighbour.System{}
	}
	a.Keys.Observer = p
	return p
}

func (p *Path) Close() { p.closeDirectory() }

func (p *Path) Connect(ctx context.Context, q *core.QP, to core.PeerAddress, params hca.ConnParams) (found bool, err error) {
	found, err = p.tryConnect(ctx, q, to.Host, to.Service, params)
	if found {
		return true, err
	}
	if errors.As(err, new(*unableError)) {
		return false, hca.Wrap(hca.Unsupported, "connect", to.Name, noSharing, err)
	}
	return false, failure(hca.Refused, "connect", to.Name, "nobody of this host and user listens there", err)
}

func (p *Path) Skipped(to core.PeerAddress, err error) {
	if reason := errors.Unwrap(err); reason != errElsewhere && !p.sayUnable(reason) {
		p.a.Log.Info("not over shared memory, so over the network", "remote", to.Name, "reason", reason)
	}
}

// Registered, Released, Published, Changed and Revoked implement core.KeyObserver.

func (p *Path) Registered(m *core.MR, mem hca.Memory) any { return p.files.add(p, m, mem) }
func (p *Path) Released(m *core.MR)                       { p.files.drop(m) }

func (p *Path) Published(place *atomic.Pointer[core.KeyEntry]) {
	if b := p.directory.Load(); b != nil {
		b.Publish(entryOf(place))
	}
}

func (p *Path) Changed(place *atomic.Pointer[core.KeyEntry]) {
	b, g := p.directory.Load(), place.Load()
	switch {
	case b == nil:
	case g != nil && g.Hidden:
		b.Retire(uint32(g.Key))
	default:
		b.Change(entryOf(place))
	}
}

func (p *Path) Revoked(k hca.Key) {
	if b := p.directory.Load(); b != nil {
		b.Retire(uint32(k))
	}
}

// fileOf returns the file from which a region can be mapped; nil if there is none.
func fileOf(m *core.MR) *mrFile {
	f, _ := m.Observed.(*mrFile)
	return f
}
