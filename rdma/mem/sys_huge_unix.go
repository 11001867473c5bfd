//go:build darwin || freebsd || netbsd || openbsd || dragonfly

package mem

import "unsafe"

const noReserve = 0

func adviseHuge(unsafe.Pointer, int) {}
