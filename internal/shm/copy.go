package shm

import "runtime/debug"

// PieceSize is the largest number of bytes that one call of [Copy] moves. The garbage
// collector can stop the goroutine between two calls but not inside one. An owner that
// takes memory back from a running peer waits for one piece at most: see [Slot]. The
// overhead per piece is some hundred nanoseconds, since the copy has evicted the
// first-level cache; the piece itself takes a few microseconds.
const PieceSize = 256 << 10

// Copy copies as many bytes as both slices have, up to PieceSize, and returns the number.
// The order in which the bytes become visible is not defined. It is not inlined, because
// the garbage collector can stop the goroutine in the function's prologue.
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

// TryCopy is [Copy] from or to memory that may be unmapped or truncated. A fault is
// ErrFault and does not end the process; some bytes may have been copied then. TryCopy
// costs a few nanoseconds more than Copy.
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

// fault is the error of a memory fault that has become a panic. Other panics continue.
func fault(r any) error {
	if f, ok := r.(interface {
		error
		Addr() uintptr
	}); ok {
		return fail("copy", ErrFault, "", f)
	}
	panic(r)
}
