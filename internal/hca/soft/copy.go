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
