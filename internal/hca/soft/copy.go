package soft

import "github.com/godapl/godapl/internal/shm"

// A copy moves at most this much between two points at which the garbage
// collector can stop the goroutine; memmove itself cannot be stopped. From
// 1 MiB on memmove bypasses the caches, which large copies want, so smaller
// pieces would make them slower.
const pieceSize = 1 << 20

// turnSize is how much one call moves before it leaves the rest to the engine.
const turnSize = pieceSize

// copyPiece copies up to pieceSize octets. It is not inlined: its prologue is
// the point at which the goroutine can be stopped.
//
//go:noinline
func copyPiece(dst, src []byte) int {
	if len(src) > pieceSize {
		src = src[:pieceSize]
	}
	return shm.Move(dst, src)
}

// writePiece is copyPiece for a Write. If the piece is the end of one, its last
// octet is stored after all others: programs look at it to learn that the Write has
// come. A plain copy stores the two ends in any order.
//
//go:noinline
func writePiece(dst, src []byte, end bool) int {
	if len(src) > pieceSize {
		src, end = src[:pieceSize], false
	}
	if !end {
		return shm.Move(dst, src)
	}
	if len(src) == 8 && addrOf(dst)%8 == 0 {
		storeWord(dst, src)
		return 8
	}
	return shm.MoveLast(dst, src)
}
