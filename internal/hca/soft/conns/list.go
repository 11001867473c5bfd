package conns

import (
	"slices"
	"sync"
	"sync/atomic"
)

// Few bounds the connections of one queue that are all polled often.
const Few = 4

// A Conn is a connection that a consumer polls at times.
type Conn interface {
	comparable
	// Unpolled tells the connection that its consumer no longer polls.
	Unpolled()
	// Guarded reports that a poll would only cost a system call: arrivals are noticed without it, and no request
	// waits for one.
	Guarded() bool
}

// Announced is an optional interface of a connection: it calls Note of its queues whenever it becomes polled. Any other
// connection counts as polled at any time.
type Announced interface{ AnnouncesPolls() }

// A List has the connections of one queue. The zero value is ready, and any goroutine may call its methods.
type List[C Conn] struct {
	now    atomic.Pointer[Now[C]] // nil: none
	polled Notes[C]               // of many, those that were polled since all were told
	// grown: the queue had few connections when all were told last, and these have noted nothing. Set before it
	// has many.
	grown atomic.Bool
	mu    sync.Mutex // of those that write now
}

// Now is a list as it was when it was loaded.
type Now[C Conn] struct {
	All    []C
	silent []C // those that do not note when they are polled
}

// Load returns the list; nil if it is empty. Equal pointers are equal lists.
func (l *List[C]) Load() *Now[C] { return l.now.Load() }

// Few reports whether each poll of the queue reaches all of its connections soon.
func (l *List[C]) Few() bool { return l.now.Load().Few() }

// Few is that of the list, which may be nil.
func (n *Now[C]) Few() bool { return n == nil || len(n.All) <= Few }

// Add adds a connection.
func (l *List[C]) Add(c C) {
	l.mu.Lock()
	defer l.mu.Unlock()
	var n Now[C]
	if p := l.now.Load(); p != nil {
		n = *p
	}
	if len(n.All) == Few {
		l.grown.Store(true)
	}
	// A goroutine that has loaded the former list reads nothing behind its end.
	n.All = append(n.All, c)
	if _, ok := any(c).(Announced); !ok {
		n.silent = append(n.silent, c)
	}
	l.now.Store(&n)
}

// Remove removes a connection, if it is there.
func (l *List[C]) Remove(c C) {
	l.polled.Forget(c)
	l.mu.Lock()
	defer l.mu.Unlock()
	p := l.now.Load()
	if p == nil {
		return
	}
	n := &Now[C]{All: without(p.All, c), silent: without(p.silent, c)}
	if len(n.All) == 0 {
		n = nil
	}
	l.now.Store(n)
}

// without returns a copy of a list.
func without[C Conn](list []C, c C) []C {
	return slices.DeleteFunc(slices.Clone(list), func(x C) bool { return x == c })
}

// Note notes that a connection is polled. The flag is its own, for this list. The caller has stored before that it is
// polled, and may be inside gates.
func (l *List[C]) Note(c C, flag *atomic.Bool) {
	if !l.Few() {
		l.polled.Add(c, flag)
	}
}

// Unpolled tells the connections that the consumer no longer polls: all of a few, and of many those that may be polled.
func (l *List[C]) Unpolled() {
	n := l.now.Load()
	if n == nil {
		return
	}
	if n.Few() || l.grown.Load() && l.grown.Swap(false) {
		for _, c := range n.All {
			c.Unpolled()
		}
		return
	}
	for _, c := range n.silent {
		c.Unpolled()
	}
	if l.polled.Some() {
		l.polled.Drain(C.Unpolled)
	}
}

// Guarded reports whether all are guarded. Of many, one that was polled counts as not guarded, and so do all until they
// have been told once.
func (l *List[C]) Guarded() bool {
	n := l.now.Load()
	if n == nil {
		return true
	}
	list := n.All
	if !n.Few() {
		if l.polled.Some() || l.grown.Load() {
			return false
		}
		list = n.silent
	}
	return !slices.ContainsFunc(list, func(c C) bool { return !c.Guarded() })
}
