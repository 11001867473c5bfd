//go:build !linux

package progress

// newKernelQueue makes none: consumers sleep on their tokens.
func newKernelQueue() KernelQueue { return nil }
