package stream

import (
	"container/list"
	"net"
	"sync"
)

// halfOpenStreams are the accepted streams of an adapter's listeners that have not been reported to the
// program: their request is not read, or is being refused. Anybody can open such streams, so there are at most
// halfOpenMost of them over all listeners, each with a goroutine. When one more arrives, the oldest is closed.
// An honest peer sends its request at once, so it gets through among many silent ones.
type halfOpenStreams struct {
	mu   sync.Mutex
	left sync.Cond // signals that one has left
	n    int
	free list.List // of *halfOpenStream: those that can be closed, in the order of closing
}

// A halfOpenStream is one of these streams. Its own goroutine calls its methods.
type halfOpenStream struct {
	v    *halfOpenStreams
	conn net.Conn
	at   *list.Element // in free, or nil; guarded by v.mu
}

const halfOpenMost = 256

// enter counts a stream as half-open. It may close another stream and wait until that leaves.
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

// enterRejected is enter for a stream whose request has been rejected. It does not wait, and the stream is the
// first to be closed.
func (v *halfOpenStreams) enterRejected(conn net.Conn) *halfOpenStream {
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

// evictOldest closes the first stream that can be closed, if there is one. The caller holds v.mu.
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

// makeRoom makes one stream leave, and reports whether there was one. It is called when the system lacks
// descriptors for another stream.
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

// hide removes the stream from those that can be closed. It returns false if it was not among them. The caller
// holds v.mu.
func (x *halfOpenStream) hide() bool {
	if x.at == nil {
		return false
	}
	x.v.free.Remove(x.at)
	x.at = nil
	return true
}

// hold protects the stream from being closed while the program decides. It returns false if it is closed
// already.
func (x *halfOpenStream) hold() bool {
	x.v.mu.Lock()
	defer x.v.mu.Unlock()
	return x.hide()
}

// release undoes hold.
func (x *halfOpenStream) release() {
	x.v.mu.Lock()
	x.at = x.v.free.PushFront(x)
	x.v.mu.Unlock()
}

// leave removes the stream from the count. Its goroutine is about to end.
func (x *halfOpenStream) leave() {
	x.v.mu.Lock()
	x.hide()
	x.v.n--
	x.v.left.Broadcast()
	x.v.mu.Unlock()
}
