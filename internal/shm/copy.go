package shm

import "runtime/debug"

// PieceSize bounds how much one call of [Copy] moves, in bytes. The garbage collector
// can stop the goroutine between two calls but not inside one. PieceSize is also the
// longest that an owner which takes memory back waits for a running peer: see [Slot].
// The overhead per piece is some hundred nanoseconds, since the copy has evicted the
// first-level cache; the piece itself takes a few microseconds.
const PieceSize = 256 << 10

// Copy moves as much as both sides have, up to PieceSize, and tells how much. The
// order in which the bytes become visible is not defined. It is not
// inlined: its prologue is where the goroutine can be stopped.
//
//go:noinline
func Copy(dst, src []byte) int {
	n := min(len(dst), len(src), PieceSize)
	if n > 0 {
		move(dst, src, n)
	}
	return n
}

// Move copies as many bytes as both slices have and returns the number, by the fastest
// method for the size. It has no upper bound: the caller splits long copies, so that
// the garbage collector can run.
func Move(dst, src []byte) int {
	n := min(len(dst), len(src))
	if n > 0 {
		move(dst, src, n)
	}
	return n
}

// CopyLast is [Copy], and publishes the last byte after all others: a reader that sees
// it change sees the rest. Programs that poll the last byte of an RDMA write rely on
// that, so it is for the last piece of a write.
//
//go:noinline
func CopyLast(dst, src []byte) int {
	n := min(len(dst), len(src), PieceSize)
	return MoveLast(dst[:n], src)
}

// MoveLast is [Move], and publishes the last byte as CopyLast does.
func MoveLast(dst, src []byte) int {
	n := min(len(dst), len(src))
	if n > 0 {
		last := src[n-1]
		if n > 1 {
			move(dst, src, n-1)
		}
		StoreByte(&dst[n-1], last)
	}
	return n
}

// backPiece is the number of bytes that CopyLastBack moves at once: piece and target
// together are a part of the first-level cache.
const backPiece = 16 << 10

// CopyLastBack is [CopyLast] from the end backwards; the last byte is still published
// last. If the same bytes were just copied forwards and do not fit into the first-level
// cache, their end is still in it.
//
//go:noinline
func CopyLastBack(dst, src []byte) int {
	n := min(len(dst), len(src), PieceSize)
	if n == 0 {
		return 0
	}
	last := src[n-1]
	for end := n - 1; end > 0; {
		at := (end - 1) / backPiece * backPiece
		move(dst[at:], src[at:], end-at)
		end = at
	}
	StoreByte(&dst[n-1], last)
	return n
}

// TryCopy is [Copy] from or to memory that may be gone: ErrFault instead of the
// end of the process. Some of it may have been moved then. It costs a few
// nanoseconds more.
func TryCopy(dst, src []byte) (n int, err error) {
	before := debug.SetPanicOnFault(true)
	defer func() {
		debug.SetPanicOnFault(before)
		if r := recover(); r != nil {
			err = fault(r)
		}
	}()
	return Copy(dst, src), nil
}

// fault is the error of a memory fault that has become a panic. Other panics go on.
func fault(r any) error {
	if f, ok := r.(interface {
		error
		Addr() uintptr
	}); ok {
		return fail("copy", ErrFault, "", f)
	}
	panic(r)
}
