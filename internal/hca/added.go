package hca

import (
	"slices"
	"sync"
)

// added are drivers that are neither built in nor made of a program's fabric:
// decorators of others, for tests.
var added struct {
	mu  sync.Mutex
	all []Driver
}

// Drivers returns all drivers by the names of their adapters. Package rdma, which knows
// them, sets it in its initialization.
var Drivers func() map[string]Driver

// AddDriver makes a driver's adapters known beside the built-in ones, until
// remove is called. Its names hide those of drivers before it.
func AddDriver(d Driver) (remove func()) {
	added.mu.Lock()
	defer added.mu.Unlock()
	added.all = append(added.all, d)
	return func() {
		added.mu.Lock()
		defer added.mu.Unlock()
		if i := slices.Index(added.all, d); i >= 0 {
			added.all = slices.Delete(added.all, i, i+1)
		}
	}
}

// AddedDrivers returns the drivers that were added and not removed.
func AddedDrivers() []Driver {
	added.mu.Lock()
	defer added.mu.Unlock()
	return slices.Clone(added.all)
}
