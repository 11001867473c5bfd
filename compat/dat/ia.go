package dat

import (
	"cmp"
	"context"
	"strings"
	"sync"

	"github.com/godapl/godapl/rdma"
)

// ia is an open adapter.
type ia struct {
	object
	name    string
	entry   *providerEntry
	adapter *rdma.Adapter
	attr    rdma.Attributes
	address IAAddressPtr
	ctx     context.Context // ends with the adapter
	cancel  context.CancelFunc
	// async is where asynchronous errors go; nil if another open has them. made
	// says that the open made it.
	async *evd
	made  bool

	keys    keyTable
	cookies cookieTable

	mu       sync.Mutex
	closed   bool
	objects  map[Handle]func() // ends each object at an abrupt close
	services map[ConnQual]*sp
	bound    map[RMRContext]*binding // by their keys, without those that a peer has revoked
	queues   map[*rdma.CompletionQueue]*evd
	drain    *drain
	// goroutines are those of calls that do not wait.
	goroutines sync.WaitGroup
}

// IAOpen opens an adapter (dat_ia_open): [IAOpenv] with the version of this
// package and [Threadsafe], as the macro of C does.
func IAOpen(iaNamePtr NamePtr, asyncEVDMinQlen Count, asyncEVDHandle *EVDHandle, iaHandle *IAHandle) Return {
	return IAOpenv(iaNamePtr, asyncEVDMinQlen, asyncEVDHandle, iaHandle, VersionMajor, VersionMinor, Threadsafe)
}

// IAOpenv opens an adapter (dat_ia_openv, 1.1). Every open is an instance of its own,
// whose objects cannot be used with another's. *asyncEVDHandle selects where
// asynchronous errors go: null makes a dispatcher and returns it; a dispatcher with the
// ASYNC flag, from an earlier open of the same adapter, is used; [EVDAsyncExists]
// leaves them to another open. A nil iaHandle is InvalidHandle, as in C's registry.
//
// It may block while a device is set up.
func IAOpenv(iaNamePtr NamePtr, asyncEVDMinQlen Count, asyncEVDHandle *EVDHandle, iaHandle *IAHandle, daplMajor, daplMinor uint32, threadSafety Boolean) Return {
	name := strings.TrimPrefix(iaNamePtr, "RO_AWARE_") // Solaris
	switch {
	case name == "" || len(iaNamePtr) >= NameMaxLength:
		return badArg(1)
	case asyncEVDHandle == nil:
		return badArg(3)
	case *asyncEVDHandle == HandleNull && asyncEVDMinQlen <= 0:
		return badArg(2)
	case iaHandle == nil:
		return failure(InvalidHandle, InvalidHandleIA)
	}
	found, ret := candidates(name, daplMajor, daplMinor, threadSafety)
	if ret != Success {
		return ret
	}
	given := evds.Get(Handle(*asyncEVDHandle))
	if h := *asyncEVDHandle; h != HandleNull && h != EVDAsyncExists &&
		(given == nil || given.flags&EVDAsyncFlag == 0 || given.ia.name != name) {
		return failure(InvalidHandle, InvalidHandleEVDAsync)
	}
	ret = failure(ProviderNotFound, NameNotRegistered)
	for _, e := range found {
		if e = e.loaded(); e == nil {
			continue // its library adds no provider; try the next entry
		}
		if ret = openEntry(e, name, asyncEVDMinQlen, asyncEVDHandle, given, iaHandle); ret == Success {
			return ret
		}
	}
	return ret
}

// openEntry opens the adapter of a registry entry.
func openEntry(e *providerEntry, name string, qlen Count, async *EVDHandle, given *evd, h *IAHandle) (ret Return) {
	if !e.use() {
		return failure(ProviderNotFound, NameNotRegistered)
	}
	defer func() {
		if ret != Success {
			e.unuse()
		}
	}()
	a := &ia{name: name, entry: e, objects: map[Handle]func(){}, services: map[ConnQual]*sp{},
		bound: map[RMRContext]*binding{}, queues: map[*rdma.CompletionQueue]*evd{}}
	a.object.ia = a
	a.ctx, a.cancel = context.WithCancel(context.Background())
	a.keys.init()
	a.handle = ias.Reserve() // first: the adapter may report an error as soon as it is open
	opt := e.provider.Options
	opt.Async = rdma.SinkFunc(a.asynchronous)
	var err error
	if a.adapter, err = rdma.Open(a.ctx, e.provider.DeviceName, opt); err != nil {
		a.cancel()
		ias.Cancel(a.handle)
		if codeOf(err) == rdma.ErrNotFound {
			return failure(ProviderNotFound, NameNotRegistered)
		}
		return result(err, ResourceDevice)
	}
	a.attr = a.adapter.Attributes()
	a.address = parseHost(cmp.Or(e.provider.Address, a.attr.Address))
	if ret := a.openAsync(qlen, async, given); ret != Success {
		ias.Cancel(a.handle)
		a.cancel()
		a.adapter.Close()
		return ret
	}
	opened.enter(a)
	ias.Put(a.handle, a)
	*h = IAHandle(a.handle)
	return Success
}

// openAsync finds the dispatcher of asynchronous errors.
func (a *ia) openAsync(qlen Count, async *EVDHandle, given *evd) Return {
	switch {
	case given != nil:
		if !given.use() {
			return failure(InvalidHandle, InvalidHandleEVDAsync)
		}
		a.collect(given, false)
	case *async == HandleNull:
		d, ret := a.newEVD(qlen, EVDAsyncFlag, nil)
		if ret != Success {
			return ret
		}
		d.use()
		a.collect(d, true)
		*async = EVDHandle(d.handle)
	}
	return Success
}

// collect makes d the dispatcher of asynchronous errors. The adapter may report some already.
func (a *ia) collect(d *evd, made bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.async, a.made = d, made
}

// objectsOf are the objects of a kind that the adapter has; get finds one by its handle.
func objectsOf[T any](a *ia, kind HandleType, get func(Handle) *T) (all []*T) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for h := range a.objects {
		if kindOf(h) != kind {
			continue
		}
		if x := get(h); x != nil {
			all = append(all, x)
		}
	}
	return all
}

// add enters an object of the adapter; end is for an abrupt close.
func (a *ia) add(h Handle, end func()) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.closed {
		return false
	}
	a.objects[h] = end
	return true
}

func (a *ia) forget(h Handle) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.objects, h)
}

func getIA(h IAHandle) *ia { return ias.Get(Handle(h)) }

var badIA = failure(InvalidHandle, InvalidHandleIA)
