package stream

import (
	"container/list"
	"net"
	"sync"
)

// halfOpenStreams are the streams that the listeners of an adapter have taken and no
// program has heard of yet: they have not said who they are, or are being turned
// away. Anybody can make them, so there are halfOpenMost of them at most, over all
// listeners, each with a goroutine. When one more comes, the one that has been
// there longest has to go: whoever is honest says at once what it wants, so it
// gets through a crowd that says nothing.
type halfOpenStreams struct {
	mu   sync.Mutex
	left sync.Cond // one has left
	n    int
	free list.List // of *visitor: those that can be sent away, the first to go in front
}

// A halfOpenStream is one of them. Its methods are called by its own goroutine.
type halfOpenStream struct {
	v    *halfOpenStreams
	conn net.Conn
	at   *list.Element // in free, or nil; guarded by v.mu
}

const halfOpenMost = 256

// enter counts a stream among the visitors. It may wait for another to leave,
// whose stream it has closed.
func (v *halfOpenStreams) enter(conn net.Conn) *halfOpenStream {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.left.L = &v.mu
	for v.n >= halfOpenMost {
		v.evictOldest()
		v.left.Wait()
	}
	v.n++
	x := &halfOpenStream{v: v, conn: conn}
	x.at = v.free.PushBack(x)
	return x
}

// part is enter for a stream that has its answer, which is no. It does not wait,
// and who has an answer is the first to go.
func (v *halfOpenStreams) part(conn net.Conn) *halfOpenStream {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.n >= halfOpenMost {
		v.evictOldest()
	}
	v.n++
	x := &halfOpenStream{v: v, conn: conn}
	x.at = v.free.PushFront(x)
	return x
}

// evictOldest closes the stream of the first that can be sent away, if there is one.
// v.mu is held.
func (v *halfOpenStreams) evictOldest() bool {
	e := v.free.Front()
	if e == nil {
		return false
	}
	oldest := e.Value.(*halfOpenStream)
	oldest.hide()
	_ = oldest.conn.Close()
	return true
}

// makeRoom has one visitor leave, and reports whether there was one. It is for
// when the system has nothing left for another.
func (v *halfOpenStreams) makeRoom() bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.left.L = &v.mu
	if !v.evictOldest() {
		return false
	}
	v.left.Wait()
	return true
}

// hide takes it from those that can be sent away. v.mu is held. It reports false
// if it was not among them.
func (x *halfOpenStream) hide() bool {
	if x.at == nil {
		return false
	}
	x.v.free.Remove(x.at)
	x.at = nil
	return true
}

// hold keeps it from being sent away, while the program is asked. It reports
// false if that has happened already.
func (x *halfOpenStream) hold() bool {
	x.v.mu.Lock()
	defer x.v.mu.Unlock()
	return x.hide()
}

// release is the end of hold.
func (x *halfOpenStream) release() {
	x.v.mu.Lock()
	x.at = x.v.free.PushFront(x)
	x.v.mu.Unlock()
}

// leave takes it off the count. Its goroutine is at its end.
func (x *halfOpenStream) leave() {
	x.v.mu.Lock()
	x.hide()
	x.v.n--
	x.v.left.Broadcast()
	x.v.mu.Unlock()
}
