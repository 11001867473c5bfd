//go:build amd64 && !race && !godapl_noasm

package shm

import "unsafe"

// Between these sizes the processor's own string move is faster than copy: by a
// third at 64 KiB. Below, its start costs more than it gains; from 1 MiB on copy
// bypasses the caches. They come from BenchmarkCopy.
const (
	stringFrom = 4 << 10
	stringTo   = 1 << 20
)

// erms reports whether the processor has a fast string move ("enhanced REP MOVSB").
var erms = func() bool {
	ebx, _ := cpuid7()
	return ebx&(1<<9) != 0
}()

//go:noescape
func moveString(dst, src *byte, n uintptr)

func cpuid7() (ebx, edx uint32)

// move copies n >= 1 bytes, which both slices have. Overlapping slices need care: the
// string move copies upwards only.
func move(dst, src []byte, n int) {
	d, s := unsafe.SliceData(dst), unsafe.SliceData(src)
	if n < stringFrom || n >= stringTo || !erms || uintptr(unsafe.Pointer(d))-uintptr(unsafe.Pointer(s)) < uintptr(n) {
		copy(dst[:n], src[:n])
		return
	}
	moveString(d, s, uintptr(n))
}
