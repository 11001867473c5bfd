package sharedmem

import (
	"crypto/rand"
	"unsafe"
)

// secret is what a peer of this host reads in this process's memory: it shows whether the kernel allows it, and whether this is the process
// on the other end of the socket. It is in the heap: a peer of 32 bits may reach variables, but not the messages of a process of 64.
var secret = func() *[16]byte {
	s := new([16]byte)
	_, _ = rand.Read(s[:]) // never fails
	return s
}()

func ownSecret() (addr uint64, s [16]byte) { return uint64(uintptr(unsafe.Pointer(secret))), *secret }
