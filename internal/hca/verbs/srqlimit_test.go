package verbs

import (
	"sync"
	"testing"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/verbs/ibv"
)

// The event of a limit may still be unread when the limit is set anew. It belongs to the former
// one: that of the new limit is told, too. A limit that the device refuses changes nothing.
func TestEventOfFormerLimit(t *testing.T) {
	const handle = ibv.SRQ(8)
	var mu sync.Mutex // the reader of events looks once when it begins
	var events []ibv.AsyncEvent
	var refuse ibv.Errno
	lib, release := ibv.Serve(func(name string) ibv.Func {
		return func(a [5]uintptr) (uintptr, ibv.Errno) {
			mu.Lock()
			defer mu.Unlock()
			switch {
			case name == "ibv_modify_srq":
				return uintptr(refuse), refuse
			case name != "ibv_get_async_event":
				return 0, 0
			case len(events) == 0:
				return ^uintptr(0), ibv.EAGAIN
			}
			ibv.View[ibv.AsyncEvent](a[1], 1)[0] = events[0]
			events = events[1:]
			return 0, 0
		}
	})
	defer release()
	bell := ibv.NewBell() // which nobody rings: only a call reads events
	defer bell.Close()
	dev := &device{lib: lib}
	var free func()
	dev.ctx, free = ibv.NewContext(0, bell.FD(), ibv.Driver{})
	defer free()
	defer ibv.FreeObject(dev.ctx)
	var err error
	if dev.events, err = newAsyncReader(dev); err != nil {
		t.Fatal(err)
	}
	defer dev.events.close()

	told := make(chan bool, 8)
	a := &adapter{lib: lib, dev: dev, bySRQ: map[ibv.SRQ]*srq{}}
	dev.adapters = []*adapter{a}
	s := &srq{ad: a, h: handle, depth: 8, cfg: hca.SRQConfig{Limit: func() { told <- true }}}
	s.posted.Store(8)
	a.bySRQ[handle] = s
	raise := func() {
		mu.Lock()
		events = append(events, ibv.NewAsyncEvent(ibv.EventSRQLimitReached, uintptr(handle), 0))
		mu.Unlock()
	}
	arm := func(limit int) {
		if err := s.Arm(limit); err != nil {
			t.Fatal(err)
		}
	}
	arm(2)
	raise()
	arm(1)
	raise()
	dev.drain()
	raise() // of no limit
	dev.drain()
	arm(2)
	refusing := func(e ibv.Errno) {
		mu.Lock()
		refuse = e
		mu.Unlock()
	}
	refusing(ibv.EINVAL)
	if s.Arm(0) == nil {
		t.Error("the device has refused the limit")
	}
	raise()
	dev.drain()
	refusing(0)
	a.calls.close()
	if n := len(told); n != 3 {
		t.Errorf("told %d times of 3 limits", n)
	}
}
