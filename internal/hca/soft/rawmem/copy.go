package rawmem

import "github.com/godapl/godapl/internal/shm"

// PieceSize bounds what a copy moves between two points at which the garbage collector can preempt the
// goroutine; memmove itself cannot be preempted. From 1 MiB on memmove bypasses the caches, which is right for
// large copies, so smaller pieces would make them slower.
const PieceSize = 1 << 20

// RunSize bounds what one call moves before it leaves the rest to the engine.
const RunSize = PieceSize

// CopyPiece copies up to PieceSize bytes. It is not inlined: the goroutine can be preempted in its prologue.
//
//go:noinline
func CopyPiece(dst, src []byte) int {
	if len(src) > PieceSize {
		src = src[:PieceSize]
	}
	return shm.Move(dst, src)
}

// WritePiece is CopyPiece for a write. If the piece ends the write, its last byte is stored after all others:
// programs poll it to detect that the write is complete. A plain copy stores both ends in any order.
//
//go:noinline
func WritePiece(dst, src []byte, end bool) int {
	if len(src) > PieceSize {
		src, end = src[:PieceSize], false
	}
	if !end {
		return shm.Move(dst, src)
	}
	if len(src) == 8 && AddrOf(dst)%8 == 0 {
		StoreWord(dst, src)
		return 8
	}
	return shm.MoveLast(dst, src)
}
