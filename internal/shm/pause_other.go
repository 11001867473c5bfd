//go:build (!amd64 && !arm64) || godapl_noasm

package shm

// Pause tells the processor that the caller polls a word. Here it does nothing.
func Pause() {}
