//go:build race

package core

import (
	"runtime"
	"unsafe"

	"github.com/godapl/godapl/internal/pages"
)

// ioSync stands for the network in the race detector's eyes, as in package
// syscall: what happened before bytes were sent happened before they came.
var ioSync int64

func RaceSend() { runtime.RaceReleaseMerge(unsafe.Pointer(&ioSync)) }

func RaceRecv() { runtime.RaceAcquire(unsafe.Pointer(&ioSync)) }

// lostWord asks the kernel about a word before an atomic operation on it. The race detector
// carries these out in code that is not Go's, where a fault is not to be recovered from.
func lostWord(b []byte) (at uint64) {
	var a pages.Asker
	defer a.Close()
	if a.Check(b, pages.Read|pages.Write) != nil {
		return AddrOf(b)
	}
	return 0
}
