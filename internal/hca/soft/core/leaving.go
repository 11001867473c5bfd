package core

import (
	"errors"
	"os"
	"sync"
	"time"

	"github.com/godapl/godapl/internal/hca"
)

// GivenUp tells who wants to know that the peer of a request has given up.
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

// Leave notes that the peer has given up, before anybody is told so.
func (l *GivenUp) Leave() {
	l.mu.Lock()
	l.gone = true
	l.mu.Unlock()
}

// Left tells it. No lock is held.
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

// A Lookout reads a peer that is waiting for an answer, and so has nothing to say: if its
// stream ends, it has given up.
type Lookout struct {
	deadline func(time.Time) error
	done     chan struct{}
}

// Watch begins. read returns when there is something to read or the stream has ended, and
// says which; gone is called behind the end. goroutine starts one that is waited for.
func (w *Lookout) Watch(goroutine func(func()), deadline func(time.Time) error, read func() error, gone func()) {
	if deadline(time.Time{}) != nil {
		return // reading could not be stopped again
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

// Stop ends it, so that somebody else can read.
func (w *Lookout) Stop() {
	if w.done == nil {
		return
	}
	_ = w.deadline(time.Unix(1, 0)) // long past: a read returns
	<-w.done
	_ = w.deadline(time.Time{})
}

// ErrGivenUp is what is left to say to a peer that has gone.
func ErrGivenUp(op string) error {
	return hca.NewError(hca.Refused, op, "request", "the peer has given up")
}
