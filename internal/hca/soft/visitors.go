package soft

import (
	"container/list"
	"net"
	"sync"
)

// visitors are the streams that the listeners of an adapter have taken and no
// program has heard of yet: they have not said who they are, or are being turned
// away. Anybody can make them, so there are halfOpen of them at most, over all
// listeners, each with a goroutine. When one more comes, the one that has been
// there longest has to go: whoever is honest says at once what it wants, so it
// gets through a crowd that says nothing.
type visitors struct {
	mu   sync.Mutex
	left sync.Cond // one has left
	n    int
	free list.List // of *visitor: those that can be sent away, the oldest in front
}

// A visitor is one of them. Its methods are called by its own goroutine.
type visitor struct {
	v    *visitors
	conn net.Conn
	at   *list.Element // in free, or nil; guarded by v.mu
}

const halfOpen = 256

// enter counts a stream among the visitors. It may wait for another to leave,
// whose stream it has closed.
func (v *visitors) enter(conn net.Conn) *visitor {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.left.L = &v.mu
	for v.n >= halfOpen {
		if e := v.free.Front(); e != nil {
			oldest := e.Value.(*visitor)
			oldest.hide()
			_ = oldest.conn.Close()
		}
		v.left.Wait()
	}
	v.n++
	x := &visitor{v: v, conn: conn}
	x.at = v.free.PushBack(x)
	return x
}

// hide takes it from those that can be sent away. v.mu is held. It reports false
// if it was not among them.
func (x *visitor) hide() bool {
	if x.at == nil {
		return false
	}
	x.v.free.Remove(x.at)
	x.at = nil
	return true
}

// hold keeps it from being sent away, while the program is asked. It reports
// false if that has happened already.
func (x *visitor) hold() bool {
	x.v.mu.Lock()
	defer x.v.mu.Unlock()
	return x.hide()
}

// release is the end of hold.
func (x *visitor) release() {
	x.v.mu.Lock()
	x.at = x.v.free.PushFront(x)
	x.v.mu.Unlock()
}

// leave takes it off the count. Its goroutine is at its end.
func (x *visitor) leave() {
	x.v.mu.Lock()
	x.hide()
	x.v.n--
	x.v.left.Broadcast()
	x.v.mu.Unlock()
}
