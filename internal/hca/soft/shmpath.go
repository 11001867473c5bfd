package soft

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"

	"github.com/godapl/godapl/internal/hca"
)

// shmPath is the path to other processes of this host and user.
type shmPath struct {
	a       *adapter
	files   files
	boardMu sync.Mutex            // makes the board
	keys    atomic.Pointer[board] // what other processes see of the adapter's keys; nil: nothing
	able    shmAble
	bells   atomic.Int32  // connections that have theirs in Go's poller
	slots   chan struct{} // bounds the processes that have not said what they want
}

// halfOpenPeers is how many processes at once may have connected and not said what they want.
const halfOpenPeers = 256

func newShmPath(a *adapter) *shmPath {
	p := &shmPath{a: a, slots: make(chan struct{}, halfOpenPeers)}
	a.keys.observer = p
	return p
}

func (p *shmPath) close() { p.closeBoard() }

func (p *shmPath) connect(ctx context.Context, q *qp, to peerAddress, params hca.ConnParams) (found bool, err error) {
	found, err = p.meet(ctx, q, to.host, to.service, params)
	if found {
		return true, err
	}
	if errors.As(err, new(*unableError)) {
		return false, hca.Wrap(hca.Unsupported, "connect", to.name, noShm, err)
	}
	return false, hca.Wrap(hca.Refused, "connect", to.name, "nobody of this host and user listens there", err)
}

func (p *shmPath) skipped(to peerAddress, err error) {
	if reason := errors.Unwrap(err); reason != errElsewhere && !p.sayUnable(reason) {
		p.a.log.Info("not over shared memory, so over the network", "remote", to.name, "reason", reason)
	}
}

// registered, released, published and revoked implement keyObserver.

func (p *shmPath) registered(m *mr, mem hca.Memory) any { return p.files.add(m.pd, mem) }

func (p *shmPath) released(m *mr) { p.files.drop(m.pd, fileOf(m)) }

func (p *shmPath) published(place *atomic.Pointer[grant]) {
	if b := p.keys.Load(); b != nil {
		b.publish(place)
	}
}

func (p *shmPath) revoked(k hca.Key) {
	if b := p.keys.Load(); b != nil {
		b.retire(uint32(k))
	}
}

// fileOf is what a region can be mapped from; nil if it has no file.
func fileOf(m *mr) *mrFile {
	f, _ := m.observed.(*mrFile)
	return f
}
