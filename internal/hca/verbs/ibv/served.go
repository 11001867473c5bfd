package ibv

import (
	"sync"
	"sync/atomic"
)

// Func is a function of libraries that are written in Go. It takes what the C function
// takes, and returns its value and errno.
type Func func(args [5]uintptr) (value uintptr, e Errno)

// servedFirst is the lowest address of a function in Go. No C function has one of the
// upper half of the address space: that belongs to the kernel.
const servedFirst = ^(^uintptr(0) >> 1)

// served holds the functions in Go. Calls read it without a lock.
var served struct {
	mu   sync.Mutex
	free []uintptr
	all  atomic.Pointer[[]Func]
}

// Serve makes a Lib whose functions are in Go, for tests and simulations. find gives a
// function by the name that it has in libibverbs or librdmacm; a function without one
// fails with ENOSYS. release takes the functions out; nothing may call the Lib, or the
// operations of its contexts, afterwards.
func Serve(find func(name string) Func) (lib *Lib, release func()) {
	lib = new(Lib)
	var taken []uintptr
	for _, l := range libraries {
		for _, s := range l.symbols(lib) {
			f := find(s.name)
			if f == nil {
				f = noFunc
			}
			*s.to = serve(f)
			taken = append(taken, *s.to)
		}
	}
	return lib, func() { unserve(taken) }
}

func noFunc([5]uintptr) (uintptr, Errno) { return uintptr(ENOSYS), ENOSYS }

// serve gives a function its address.
func serve(f Func) uintptr {
	served.mu.Lock()
	defer served.mu.Unlock()
	var old []Func
	if p := served.all.Load(); p != nil {
		old = *p
	}
	all := append(make([]Func, 0, len(old)+1), old...)
	n := uintptr(len(all))
	if k := len(served.free); k > 0 {
		n, served.free = served.free[k-1], served.free[:k-1]
		all[n] = f
	} else {
		all = append(all, f)
	}
	served.all.Store(&all)
	return servedFirst + n
}

func unserve(addrs []uintptr) {
	if len(addrs) == 0 {
		return // nothing may have been served at all
	}
	served.mu.Lock()
	defer served.mu.Unlock()
	all := append([]Func(nil), *served.all.Load()...)
	for _, a := range addrs {
		all[a-servedFirst] = noFunc
		served.free = append(served.free, a-servedFirst)
	}
	served.all.Store(&all)
}

// inGo makes the call if the function is in Go.
func (c *crossing) inGo() bool {
	if c.fn < servedFirst {
		return false
	}
	count()
	v, e := (*served.all.Load())[c.fn-servedFirst](c.args)
	c.result = result{v, uintptr(e)}
	return true
}
