package core

import (
	"errors"
	"os"
	"sync"
	"time"

	"github.com/godapl/godapl/internal/hca"
)

// GivenUp tells callbacks that the peer of a request has given up.
type GivenUp struct {
	mu   sync.Mutex
	gone bool
	tell []func()
}

// OnLeave implements hca.Leaver.
func (l *GivenUp) OnLeave(f func()) {
	l.mu.Lock()
	gone := l.gone
	if !gone {
		l.tell = append(l.tell, f)
	}
	l.mu.Unlock()
	if gone {
		f()
	}
}

// Leave notes that the peer has given up, before any callback runs.
func (l *GivenUp) Leave() {
	l.mu.Lock()
	l.gone = true
	l.mu.Unlock()
}

// Left runs the callbacks. The caller holds no lock.
func (l *GivenUp) Left() {
	l.mu.Lock()
	tell := l.tell
	l.tell = nil
	l.mu.Unlock()
	for _, f := range tell {
		f()
	}
}

func (l *GivenUp) HasLeft() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.gone
}

// A Lookout reads from a peer that waits for an answer, and so sends nothing: if its stream ends, the peer has
// given up.
type Lookout struct {
	deadline func(time.Time) error
	done     chan struct{}
}

// Watch starts the reading. read returns when there is something to read or the stream has ended, and its error
// distinguishes these; gone is called after the end. goroutine starts a goroutine that the adapter waits for.
func (w *Lookout) Watch(goroutine func(func()), deadline func(time.Time) error, read func() error, gone func()) {
	if deadline(time.Time{}) != nil {
		return // the read could not be stopped again
	}
	w.deadline, w.done = deadline, make(chan struct{})
	goroutine(func() {
		err := read()
		close(w.done)
		if err != nil && !errors.Is(err, os.ErrDeadlineExceeded) {
			gone()
		}
	})
}

// Stop ends the reading, so that another goroutine can read.
func (w *Lookout) Stop() {
	if w.done == nil {
		return
	}
	_ = w.deadline(time.Unix(1, 0)) // long past: a read returns
	<-w.done
	_ = w.deadline(time.Time{})
}

// ErrGivenUp is the error of an answer to a peer that has given up.
func ErrGivenUp(op string) error {
	return hca.NewError(hca.Refused, op, "request", "the peer has given up")
}
