package conns

import (
	"slices"
	"sync/atomic"

	"github.com/godapl/godapl/internal/hca/soft/gate"
)

// Notes lists connections that something is to be done for, each at most once. The zero value is ready, and any
// goroutine may call its methods.
type Notes[C any] struct {
	some  atomic.Bool // the list is not empty; written under mu
	mu    gate.SpinLock
	list  []note[C] // guarded by mu
	spare []note[C] // empty; guarded by mu
}

// A note is a connection, and its flag for this list, which is set as long as it is listed.
type note[C any] struct {
	of   C
	flag *atomic.Bool
}

// Some reports whether the list is not empty.
func (l *Notes[C]) Some() bool { return l.some.Load() }

// Add lists a connection, unless it is listed. The caller may be inside gates.
func (l *Notes[C]) Add(c C, flag *atomic.Bool) {
	if !flag.Load() && flag.CompareAndSwap(false, true) {
		l.mu.Lock()
		l.list = append(l.list, note[C]{c, flag})
		l.some.Store(true)
		l.mu.Unlock()
	}
}

// Drain empties the list, and calls f for each connection that was there. The flags are cleared before that, so a
// connection that needs f once more is listed again.
func (l *Notes[C]) Drain(f func(C)) {
	l.mu.Lock()
	list := l.list
	l.list, l.spare = l.spare, nil
	l.some.Store(false)
	l.mu.Unlock()
	for _, n := range list {
		n.flag.Store(false)
	}
	for _, n := range list {
		f(n.of)
	}
	clear(list)
	l.mu.Lock()
	if l.spare == nil {
		l.spare = list[:0]
	}
	l.mu.Unlock()
}

// Each calls f for each connection that is listed. f must not call Notes.
func (l *Notes[C]) Each(f func(C)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, n := range l.list {
		f(n.of)
	}
}

// Forget removes a connection that has ended.
func (l *Notes[C]) Forget(c any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.list = slices.DeleteFunc(l.list, func(n note[C]) bool { return any(n.of) == c })
}
