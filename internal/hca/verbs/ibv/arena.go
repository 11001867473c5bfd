package ibv

import (
	"math/bits"
	"sync"
)

// The arena hands out zeroed memory outside the Go heap. Small blocks, sizes
// of powers of two, are cut from chunks that are kept for good and go round
// through free lists; a large one is a mapping of its own.
const (
	minBlock   = 6  // 64 bytes: a cache line, so no two blocks share one
	maxBlock   = 15 // 32 KiB
	chunkBytes = 256 << 10
)

var arena struct {
	mu    sync.Mutex
	free  [maxBlock + 1][]uintptr
	chunk uintptr // the rest of the newest chunk
	left  int
}

// block is memory of the arena. The zero block has none.
type block struct {
	addr uintptr
	size int // bytes asked for
}

// class is the power of two of a block's size, or more than maxBlock.
func (b block) class() int { return max(minBlock, bits.Len(uint(b.size-1))) }

// alloc gives a zeroed block of at least one byte, aligned to a cache line.
func alloc(size int) (block, error) {
	b := block{size: max(size, 1)}
	c := b.class()
	if c > maxBlock {
		addr, err := mapMemory(b.size)
		if err != nil {
			return block{}, err
		}
		b.addr = addr
		return b, nil
	}
	arena.mu.Lock()
	defer arena.mu.Unlock()
	if list := arena.free[c]; len(list) > 0 {
		b.addr = list[len(list)-1]
		arena.free[c] = list[:len(list)-1]
		clear(view[byte](b.addr, b.size))
		return b, nil
	}
	if arena.left < 1<<c {
		if err := newChunk(); err != nil {
			return block{}, err
		}
	}
	b.addr = arena.chunk
	arena.chunk += 1 << c
	arena.left -= 1 << c
	return b, nil
}

// newChunk maps memory to cut blocks from. What is left of the chunk before
// becomes blocks of the sizes that fit.
func newChunk() error {
	for c := maxBlock; c >= minBlock; c-- {
		for arena.left >= 1<<c {
			arena.free[c] = append(arena.free[c], arena.chunk)
			arena.chunk += 1 << c
			arena.left -= 1 << c
		}
	}
	addr, err := mapMemory(chunkBytes)
	if err != nil {
		return err
	}
	arena.chunk, arena.left = addr, chunkBytes
	return nil
}

// release gives a block back. Nothing may use it any more.
func (b block) release() {
	if b.addr == 0 {
		return
	}
	c := b.class()
	if c > maxBlock {
		unmapMemory(b.addr, b.size)
		return
	}
	arena.mu.Lock()
	arena.free[c] = append(arena.free[c], b.addr)
	arena.mu.Unlock()
}

// scratch gives room for one T for the time of a call.
func scratch[T any]() (*T, block, Errno) {
	b, err := alloc(sizeOf[T]())
	if err != nil {
		return nil, b, ENOMEM
	}
	return at[T](b.addr), b, 0
}
