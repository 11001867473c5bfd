package halfopen

import (
	"container/list"
	"net"
	"sync"
)

// Streams are the accepted streams of an adapter's listeners that have not been reported to the
// program: their request is not read, or is being refused. Anybody can open such streams, so there are at most
// Most of them over all listeners, each with a goroutine. When one more arrives, the oldest is closed.
// An honest peer sends its request at once, so it gets through among many silent ones.
type Streams struct {
	mu   sync.Mutex
	left sync.Cond // signals that one has left
	n    int
	free list.List // of *Stream: those that can be closed, in the order of closing
}

// A Stream is one of these streams. Its own goroutine calls its methods.
type Stream struct {
	v    *Streams
	Conn net.Conn
	at   *list.Element // in free, or nil; guarded by v.mu

	evicted bool // for others; guarded by v.mu
}

// Most is how many streams there are at most.
const Most = 256

// Len is the number of half-open streams.
func (v *Streams) Len() int {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.n
}

// Enter counts a stream as half-open. It may close another stream and wait until that leaves.
func (v *Streams) Enter(conn net.Conn) *Stream {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.left.L = &v.mu
	for v.n >= Most {
		v.evictOldest()
		v.left.Wait()
	}
	v.n++
	x := &Stream{v: v, Conn: conn}
	x.at = v.free.PushBack(x)
	return x
}

// EnterRejected is Enter for a stream whose request has been rejected. It does not wait, and the stream is the
// first to be closed.
func (v *Streams) EnterRejected(conn net.Conn) *Stream {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.n >= Most {
		v.evictOldest()
	}
	v.n++
	x := &Stream{v: v, Conn: conn}
	x.at = v.free.PushFront(x)
	return x
}

// evictOldest closes the first stream that can be closed, if there is one. The caller holds v.mu.
func (v *Streams) evictOldest() bool {
	e := v.free.Front()
	if e == nil {
		return false
	}
	oldest := e.Value.(*Stream)
	oldest.hide()
	oldest.evicted = true
	_ = oldest.Conn.Close()
	return true
}

// MakeRoom makes one stream leave, and reports whether there was one. It is called when the system lacks
// descriptors for another stream.
func (v *Streams) MakeRoom() bool {
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
func (x *Stream) hide() bool {
	if x.at == nil {
		return false
	}
	x.v.free.Remove(x.at)
	x.at = nil
	return true
}

// Evicted reports whether the stream was closed because there were too many.
func (x *Stream) Evicted() bool {
	x.v.mu.Lock()
	defer x.v.mu.Unlock()
	return x.evicted
}

// Hold protects the stream from being closed while the program decides. It returns false if it is closed
// already.
func (x *Stream) Hold() bool {
	x.v.mu.Lock()
	defer x.v.mu.Unlock()
	return x.hide()
}

// Release undoes Hold.
func (x *Stream) Release() {
	x.v.mu.Lock()
	x.at = x.v.free.PushFront(x)
	x.v.mu.Unlock()
}

// Leave removes the stream from the count. Its goroutine is about to end.
func (x *Stream) Leave() {
	x.v.mu.Lock()
	x.hide()
	x.v.n--
	x.v.left.Broadcast()
	x.v.mu.Unlock()
}
