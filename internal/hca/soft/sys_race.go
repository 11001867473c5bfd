//go:build race

package soft

import (
	"runtime"
	"unsafe"
)

// ioSync stands for the network in the race detector's eyes, as in package
// syscall: what happened before octets were sent happened before they came.
var ioSync int64

func raceSend() { runtime.RaceReleaseMerge(unsafe.Pointer(&ioSync)) }
func raceRecv() { runtime.RaceAcquire(unsafe.Pointer(&ioSync)) }
