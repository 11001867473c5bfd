package main

// #include "shim.h"
import "C"

import (
	"strings"
	"sync"
	"time"

	"github.com/godapl/godapl/compat/dat"
)

// adapter is an open adapter.
type adapter struct {
	entry  *C.dg_entry
	number dat.Handle
	attr   dat.IAAttr // at the time of opening
	caps   dat.ProviderAttr
	x      *C.dg_ia_extra // of its handle; queries may use it beside a close
}

// adapters are the open adapters, by number.
var adapters = struct {
	sync.RWMutex
	all map[dat.Handle]*adapter
}{all: map[dat.Handle]*adapter{}}

func adapterOf(n C.uint64_t) *adapter {
	adapters.RLock()
	defer adapters.RUnlock()
	return adapters.all[dat.Handle(n)]
}

// adapterWith returns the adapter of an object.
func adapterWith(h C.uint64_t) *adapter {
	handles.RLock()
	n := handles.all[dat.Handle(h)].ia
	handles.RUnlock()
	return adapterOf(C.uint64_t(n))
}

// listenWait is how long a connection attempt waits for a listener. Some programs, such as
// dtestx, send their address to the peer just before they listen there. On networks the
// listener is always in time; in memory the peer is fast enough to come first.
const listenWait = 100 * time.Millisecond

// record is an adapter's record in dat.conf.
type record struct {
	entry    *C.dg_entry
	name     string // in the registry of package dat
	provider dat.Provider
	info     dat.ProviderInfo
}

// records are the registry's records, by name.
var records = struct {
	sync.Mutex
	all map[string]*record
}{all: map[string]*record{}}

// namePrefix separates our names from those that package dat itself reads in dat.conf.
const namePrefix = "libdaplgo:"

// goEnter makes a thread of C known to Go.
//
//export goEnter
func goEnter() {}

// goProviderInit registers an adapter. params comes from the record in dat.conf: the name
// of a device and optionally its address.
//
//export goProviderInit
func goProviderInit(e *C.dg_entry, params *C.char) C.int {
	name := C.GoString(&e.info.ia_name[0])
	words := strings.Fields(C.GoString(params))
	if len(words) == 0 {
		words = []string{"soft"}
	}
	r := &record{entry: e, name: namePrefix + name}
	r.provider.DeviceName = words[0]
	r.provider.Options.ListenWait = listenWait
	if len(words) > 1 {
		r.provider.Address = words[1]
	}
	r.info = dat.ProviderInfo{IAName: r.name, DaplVersionMajor: 2, IsThreadSafe: dat.False}
	records.Lock()
	defer records.Unlock()
	if records.all[name] != nil || dat.RegistryAddProvider(&r.provider, &r.info) != dat.Success {
		return 0
	}
	records.all[name] = r
	return 1
}

// goProviderFini unregisters an adapter. The registry calls it when no adapter is open.
//
//export goProviderFini
func goProviderFini(e *C.dg_entry) {
	name := C.GoString(&e.info.ia_name[0])
	records.Lock()
	defer records.Unlock()
	if r := records.all[name]; r != nil && r.entry == e {
		dat.RegistryRemoveProvider(&r.provider, &r.info)
		delete(records.all, name)
	}
}

func recordOf(name string) *record {
	records.Lock()
	defer records.Unlock()
	return records.all[name]
}
