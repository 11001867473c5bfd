//go:build (amd64 || arm64) && !godapl_noasm

package shm

// Pause tells the processor that the caller polls a word: it saves power, lets the
// other thread of a core run, and leaves the loop faster when the word changes.
func Pause()
