//go:build amd64 && !race && !godapl_noasm

package shm

// MoveString is the processor's own copy, at any size.
func MoveString(dst, src []byte) { moveString(&dst[0], &src[0], uintptr(len(src))) }
