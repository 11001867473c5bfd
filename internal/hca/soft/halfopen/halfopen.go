package halfopen

import (
	"cmp"
	"container/list"
	"errors"
	"io"
	"sync"
	"time"
)

// ErrEvicted is why a stream was closed for another one.
var ErrEvicted = errors.New("too many streams without a request: the oldest was closed")

// Streams are the accepted streams of an adapter's listeners that have not been reported to the
// program: their request is not read, or is being refused. Anybody can open such streams, so there are at most
// Most of them over all listeners, each with a goroutine. When one more arrives, the oldest is closed, if its peer had the
// time to send its request.
// An honest peer sends its request at once, so it gets through among many silent ones, and among many honest ones.
type Streams[C io.Closer] struct {
	Grace time.Duration // instead of the constant, if it is not 0

	mu      sync.Mutex
	left    sync.Cond // signals that one has left, or can be closed now
	n       int
	waiting int       // in Enter
	leaving int       // of n: closed for others
	free    list.List // of *Stream[C]: those that can be closed, in the order of closing
}

// A Stream is one of these streams. Its own goroutine calls its methods.
type Stream[C io.Closer] struct {
	v    *Streams[C]
	Conn C
	at   *list.Element // in free, or nil; guarded by v.mu

	since   time.Time // its request may come; zero: it has come
	evicted bool      // for others; guarded by v.mu
	over    bool      // it has left; guarded by v.mu
}

const (
	// Most is how many streams there are at most.
	Most = 256
	// Grace is the time that a stream has for its request although there are too many. It takes a burst of peers
	// longer to send their requests than to connect.
	Grace = 50 * time.Millisecond
)

// Len is the number of half-open streams.
func (v *Streams[C]) Len() int {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.n
}

// Enter counts a stream as half-open. It may close another stream and wait until that leaves.
func (v *Streams[C]) Enter(conn C) *Stream[C] {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.waiting++
	for v.n >= Most {
		var early time.Duration
		if v.n-v.leaving+v.waiting > Most { // and not, if one that is closed already makes the room
			if early = v.early(); early == 0 && v.evictOldest() != nil {
				continue
			}
		}
		v.wait(early)
	}
	v.waiting--
	v.n++
	x := &Stream[C]{v: v, Conn: conn, since: time.Now()}
	x.at = v.free.PushBack(x)
	return x
}

// wait returns when one has left or can be closed, and behind early, if that is not 0. The caller holds v.mu.
func (v *Streams[C]) wait(early time.Duration) {
	v.left.L = &v.mu
	if early > 0 {
		again := time.AfterFunc(early, func() {
			v.mu.Lock()
			v.left.Broadcast()
			v.mu.Unlock()
		})
		defer again.Stop()
	}
	v.left.Wait()
}

// EnterRejected is Enter for a stream whose request has been rejected. It does not wait, and the stream is the
// first to be closed.
func (v *Streams[C]) EnterRejected(conn C) *Stream[C] {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.n >= Most && v.early() == 0 {
		v.evictOldest()
	}
	v.n++
	x := &Stream[C]{v: v, Conn: conn}
	x.at = v.free.PushFront(x)
	v.left.Broadcast()
	return x
}

// early is how long the first stream that can be closed has for its request; 0: it can be closed, or there is none. The
// caller holds v.mu.
func (v *Streams[C]) early() time.Duration {
	if e := v.free.Front(); e != nil {
		return max(0, cmp.Or(v.Grace, Grace)-time.Since(e.Value.(*Stream[C]).since))
	}
	return 0
}

// evictOldest closes the first stream that can be closed, and returns it; nil if there is none. The caller holds v.mu.
func (v *Streams[C]) evictOldest() (oldest *Stream[C]) {
	e := v.free.Front()
	if e == nil {
		return nil
	}
	oldest = e.Value.(*Stream[C])
	oldest.hide()
	oldest.evicted = true
	v.leaving++
	_ = oldest.Conn.Close()
	return oldest
}

// MakeRoom makes one stream leave, and reports whether there was one. It is called when the system lacks
// descriptors for another stream.
func (v *Streams[C]) MakeRoom() bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	oldest := v.evictOldest()
	if oldest == nil {
		return false
	}
	for !oldest.over {
		v.wait(0)
	}
	return true
}

// hide removes the stream from those that can be closed. It returns false if it was not among them. The caller
// holds v.mu.
func (x *Stream[C]) hide() bool {
	if x.at == nil {
		return false
	}
	x.v.free.Remove(x.at)
	x.at = nil
	return true
}

// Evicted reports whether the stream was closed because there were too many.
func (x *Stream[C]) Evicted() bool {
	x.v.mu.Lock()
	defer x.v.mu.Unlock()
	return x.evicted
}

// Hold protects the stream from being closed while the program decides. It returns false if it is closed
// already.
func (x *Stream[C]) Hold() bool {
	x.v.mu.Lock()
	defer x.v.mu.Unlock()
	return x.hide()
}

// Release undoes Hold.
func (x *Stream[C]) Release() {
	x.v.mu.Lock()
	x.since = time.Time{}
	x.at = x.v.free.PushFront(x)
	x.v.left.Broadcast()
	x.v.mu.Unlock()
}

// Leave removes the stream from the count. Its goroutine is about to end.
func (x *Stream[C]) Leave() {
	x.v.mu.Lock()
	x.hide()
	x.v.n--
	if x.over = true; x.evicted {
		x.v.leaving--
	}
	x.v.left.Broadcast()
	x.v.mu.Unlock()
}

// Read is Leave behind the reading of the request. It returns the error of that, or ErrEvicted if the stream was closed for
// another one.
func (x *Stream[C]) Read(err error) error {
	if !x.Hold() {
		err = ErrEvicted
	}
	x.Leave()
	return err
}
