//go:build (amd64 || arm64) && !godapl_noasm

package shm

// Pause is a hint to the processor that the caller polls a word: it saves power,
// lets the other thread of a core run, and makes the loop end faster when the word
// changes.
func Pause()
