package connreq

import (
	"errors"
	"io"
	"os"
	"sync"
	"time"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/core"
)

// Pending is embedded in the connection request of a path.
type Pending struct {
	a       *core.Adapter
	request io.Closer

	mu       sync.Mutex // guards the rest: the adapter may end before the watch begins
	answered bool       // or given up
	gone     bool       // the peer has given up
	onLeave  []func()

	deadline func(time.Time) error // of the watch; nil if there is none
	watched  chan struct{}         // closed at its end; nil if there is none
}

// Begin enters the request in the adapter, whose end closes it, and so refuses it, unless it
// is answered before.
func (p *Pending) Begin(a *core.Adapter, op string, request io.Closer) error {
	p.a, p.request = a, request
	return a.Track(op, request)
}

// Answer reserves the answer for the caller, which must then give one. It ends the watch.
func (p *Pending) Answer(op string) error {
	p.stop()
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.gone:
		return hca.NewError(hca.Refused, op, "request", "the peer has given up")
	case p.answered:
		return hca.NewError(hca.State, op, "request", "it has been answered, or its adapter was closed")
	}
	p.answered = true
	p.a.Untrack(p.request)
	return nil
}

// GiveUp notes that the peer has given up, calls drop, which releases what the request holds,
// and runs the callbacks. If the request is answered already, it returns false and changes
// nothing.
func (p *Pending) GiveUp(drop func()) bool {
	p.mu.Lock()
	if p.answered {
		p.mu.Unlock()
		return false
	}
	p.answered, p.gone = true, true
	tell := p.onLeave
	p.onLeave = nil
	p.mu.Unlock()
	p.a.Untrack(p.request)
	drop()
	for _, f := range tell {
		f()
	}
	return true
}

// OnLeave implements hca.Leaver.
func (p *Pending) OnLeave(f func()) {
	p.mu.Lock()
	gone := p.gone
	if !gone {
		p.onLeave = append(p.onLeave, f)
	}
	p.mu.Unlock()
	if gone {
		f()
	}
}

// Watch reads from a peer that waits for an answer, and so sends nothing: if its stream ends,
// the peer has given up. read returns when there is something to read or the stream has
// ended, and its error distinguishes these.
func (p *Pending) Watch(deadline func(time.Time) error, read func() error, drop func()) {
	if deadline(time.Time{}) != nil {
		return // the read could not be stopped again
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.answered {
		return
	}
	watched := make(chan struct{})
	p.deadline, p.watched = deadline, watched
	p.a.Background.Go("accept", func() {
		err := read()
		close(watched)
		if err != nil && !errors.Is(err, os.ErrDeadlineExceeded) {
			p.GiveUp(drop)
		}
	})
}

// stop ends the watch, so that the answer can read.
func (p *Pending) stop() {
	p.mu.Lock()
	deadline, watched := p.deadline, p.watched
	p.mu.Unlock()
	if watched == nil {
		return
	}
	_ = deadline(time.Unix(1, 0)) // long past: a read returns
	<-watched
	_ = deadline(time.Time{})
}
