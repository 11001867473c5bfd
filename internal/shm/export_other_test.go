//go:build !amd64 || race || godapl_noasm

package shm

// MoveString is the processor's own copy, where there is one.
func MoveString(dst, src []byte) { copy(dst, src) }
