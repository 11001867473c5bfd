package fakeibv

import (
	"encoding/binary"

	"github.com/godapl/godapl/internal/hca/verbs/ibv"
)

// The functions here are the device's access to memory. The race detector does not see it,
// as it sees none of a real device: what programs and peers share is theirs to order.

// load reads memory.
//
//go:norace
func load(to []byte, addr uint64) { copy(to, ibv.View[byte](uintptr(addr), len(to))) }

// store writes memory.
//
//go:norace
func store(addr uint64, from []byte) {
	if len(from) > 0 {
		copy(ibv.View[byte](uintptr(addr), len(from)), from)
	}
}

//go:norace
func fetchAdd(addr, n uint64) (old uint64) {
	p := &ibv.View[uint64](uintptr(addr), 1)[0]
	old = *p
	*p += n
	return old
}

//go:norace
func compareSwap(addr, compare, swap uint64) (old uint64) {
	p := &ibv.View[uint64](uintptr(addr), 1)[0]
	if old = *p; old == compare {
		*p = swap
	}
	return old
}

// word is a number as it lies in memory.
func word(n uint64) []byte { return binary.NativeEndian.AppendUint64(nil, n) }
