//go:build !amd64

package main

// pause has nothing to tell the processor here.
func pause() {}
