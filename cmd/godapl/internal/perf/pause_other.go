//go:build !amd64

package perf

// pause has nothing to tell the processor here.
func pause() {}
