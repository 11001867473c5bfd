package shm

import "runtime/debug"

// PieceSize is how much one call of [Copy] moves at most, in bytes. Between two
// calls the garbage collector can stop the goroutine, which it cannot inside; and
// it is how long an owner that takes its memory back waits for a peer at
// most: see [Slot]. What is done for each piece costs some hundred nanoseconds, since
// the copy has emptied the first-level cache; the piece itself takes a few microseconds.
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

// Move copies as much as both sides have, and tells how much, in the way that suits
// the size. It has no bound: the caller's is what keeps the garbage collector going.
func Move(dst, src []byte) int {
	n := min(len(dst), len(src))
	if n > 0 {
		move(dst, src, n)
	}
	return n
}

// CopyLast is [Copy], and publishes the last byte after all others: who sees it
// change sees the rest. That is what a program relies on that polls the last byte
// of an RDMA write, so it is for the last piece of one.
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

// backPiece is what CopyLastBack moves at once: with its target, a part of the first-level
// cache.
const backPiece = 16 << 10

// CopyLastBack is [CopyLast] from the end on, the last byte at the end all the same. A copy
// between the same bytes as the one before, the other way, finds some of them
// in the first-level cache if they do not all fit in there.
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
