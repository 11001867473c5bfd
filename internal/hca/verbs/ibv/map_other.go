//go:build !linux

package ibv

import "sync"

// mapped keeps memory alive: here only simulations need any, and Go's heap will do, since
// nothing of it moves.
var mapped struct {
	sync.Mutex
	all map[uintptr][]byte
}

// mapMemory gives zeroed memory, aligned to a cache line.
func mapMemory(size int) (uintptr, error) {
	const line = 1 << minBlock
	b := make([]byte, size+line)
	addr := (AddressOf(b) + line - 1) &^ (line - 1)
	mapped.Lock()
	defer mapped.Unlock()
	if mapped.all == nil {
		mapped.all = map[uintptr][]byte{}
	}
	mapped.all[addr] = b
	return addr, nil
}

func unmapMemory(addr uintptr, _ int) {
	mapped.Lock()
	defer mapped.Unlock()
	delete(mapped.all, addr)
}
