//go:build race

package rawmem

import (
	"runtime"
	"unsafe"

	"github.com/godapl/godapl/internal/pages"
)

// ioSync stands for the network to the race detector, as in package syscall: what happened before bytes were
// sent happened before they arrived.
var ioSync int64

func RaceSend() { runtime.RaceReleaseMerge(unsafe.Pointer(&ioSync)) }
func RaceRecv() { runtime.RaceAcquire(unsafe.Pointer(&ioSync)) }

// lostWord asks the kernel whether a word is accessible, before an atomic operation on it. The race detector
// carries these operations out in code that is not Go, where a fault cannot be recovered.
func lostWord(b []byte) (at uint64) {
	var a pages.Asker
	defer a.Close()
	if a.Check(b, pages.Read|pages.Write) != nil {
		return AddrOf(b)
	}
	return 0
}
