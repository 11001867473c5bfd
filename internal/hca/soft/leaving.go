package soft

import (
	"errors"
	"net"
	"os"
	"sync"
	"time"

	"github.com/godapl/godapl/internal/hca"
)

// leaving tells who wants to know that the peer of a request has given up.
type leaving struct {
	mu   sync.Mutex
	gone bool
	tell []func()
}

// OnLeave implements hca.Leaver.
func (l *leaving) OnLeave(f func()) {
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

// leave notes that the peer has given up, before anybody is told so.
func (l *leaving) leave() {
	l.mu.Lock()
	l.gone = true
	l.mu.Unlock()
}

// left tells it. No lock is held.
func (l *leaving) left() {
	l.mu.Lock()
	tell := l.tell
	l.tell = nil
	l.mu.Unlock()
	for _, f := range tell {
		f()
	}
}

func (l *leaving) hasLeft() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.gone
}

// A lookout reads a peer that is waiting for an answer, and so has nothing to say: if its
// stream ends, it has given up.
type lookout struct {
	deadline func(time.Time) error
	done     chan struct{}
}

// watch begins. read returns when there is something to read or the stream has ended, and
// says which; gone is called behind the end. goroutine starts one that is waited for.
func (w *lookout) watch(goroutine func(func()), deadline func(time.Time) error, read func() error, gone func()) {
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

// stop ends it, so that somebody else can read.
func (w *lookout) stop() {
	if w.done == nil {
		return
	}
	_ = w.deadline(time.Unix(1, 0)) // long past: a read returns
	<-w.done
	_ = w.deadline(time.Time{})
}

// errGivenUp is what is left to say to a peer that has gone.
func errGivenUp(op string) error {
	return hca.NewError(hca.Refused, op, "request", "the peer has given up")
}

// lookOut watches the stream of a request. What an impatient peer says before the answer
// is kept for the connection.
func (r *streamRequest) lookOut() {
	a := r.s.l.a
	r.look.watch(a.net.wg.Go, r.conn.SetReadDeadline, func() error { return r.readEarly(r.conn) }, func() {
		r.leave()
		if r.claim() {
			_ = r.conn.Close()
			r.left()
		}
	})
}

func (r *streamRequest) readEarly(conn net.Conn) error {
	var b [1]byte
	n, err := conn.Read(b[:])
	if n > 0 {
		r.early = append(r.early, b[:n]...)
		return nil
	}
	return err
}

// claim makes the caller the one who answers.
func (r *streamRequest) claim() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.answered {
		return false
	}
	r.answered = true
	r.s.l.a.untrack(r)
	return true
}
