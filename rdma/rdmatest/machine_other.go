//go:build !linux

package rdmatest

const sharesMemory = false
