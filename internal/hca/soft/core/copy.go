package core

import "github.com/godapl/godapl/internal/shm"

// A copy moves at most this much between two points at which the garbage
// collector can stop the goroutine; memmove itself cannot be stopped. From
// 1 MiB on memmove bypasses the caches, which large copies want, so smaller
// pieces would make them slower.
const PieceSize = 1 << 20

// TurnSize is how much one call moves before it leaves the rest to the engine.
const TurnSize = PieceSize

// CopyPiece copies up to PieceSize bytes. It is not inlined: its prologue is
// the point at which the goroutine can be stopped.
//
//go:noinline
func CopyPiece(dst, src []byte) int {
	if len(src) > PieceSize {
		src = src[:PieceSize]
	}
	return shm.Move(dst, src)
}

// WritePiece is CopyPiece for a Write. If the piece is the end of one, its last
// byte is stored after all others: programs look at it to learn that the Write has
// come. A plain copy stores the two ends in any order.
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
