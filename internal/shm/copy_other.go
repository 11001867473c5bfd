//go:build !amd64 || race || godapl_noasm

package shm

func move(dst, src []byte, n int) { copy(dst[:n], src[:n]) }
