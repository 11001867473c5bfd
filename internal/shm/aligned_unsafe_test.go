package shm_test

import (
	"runtime"
	"unsafe"

	"github.com/godapl/godapl/internal/shm"
)

func isAligned(b []byte) bool { return uintptr(unsafe.Pointer(unsafe.SliceData(b)))%64 == 0 }

// pause lets the other side run, on this processor or on another one.
func pause() {
	shm.Pause()
	runtime.Gosched()
}
