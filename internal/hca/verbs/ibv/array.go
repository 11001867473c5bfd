package ibv

import (
	"math"
	"strconv"
	"sync/atomic"

	"github.com/godapl/godapl/internal/hca"
)

// Array is n Ts outside the Go heap, for C to read and write. T must hold no Go
// pointers. It is not collected: Free gives the memory back.
type Array[T any] struct {
	// S is the memory. Slices of it must not be used after Free.
	S []T

	block block
	freed atomic.Bool
}

// NewArray maps zeroed memory for n Ts, aligned to 64 bytes.
func NewArray[T any](n int) (*Array[T], error) {
	size := sizeOf[T]()
	if n < 0 || size > 0 && n > math.MaxInt/size {
		return nil, hca.NewError(hca.Invalid, "allocate memory", strconv.Itoa(n)+" entries", "no such number of entries can be")
	}
	b, err := alloc(n * size)
	if err != nil {
		return nil, hca.Wrap(hca.Resources, "allocate memory", strconv.Itoa(n*size)+" bytes",
			"the system gives no more address space: see ulimit -v and the container's memory limit", err)
	}
	return &Array[T]{S: view[T](b.addr, n), block: b}, nil
}

// Addr gives the address of entry i, for the fields of C structures. It panics
// if there is no such entry.
func (a *Array[T]) Addr(i int) uintptr {
	_ = a.S[i]
	return a.block.addr + uintptr(i*sizeOf[T]())
}

// Free gives the memory back. The owner calls it when neither C nor Go uses
// the memory any more; calling it again does nothing.
func (a *Array[T]) Free() {
	if a == nil || a.freed.Swap(true) {
		return
	}
	a.S = nil
	a.block.release()
}
