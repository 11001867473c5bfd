package sharedmem

import (
	"crypto/rand"
	"unsafe"
)

// secret is what a peer of this host reads in this process's memory. That shows whether the kernel allows it,
// and whether this is the process on the other end of the socket. It lies in the heap, not among the variables of the
// program: these may have small addresses, and a peer of 32 bits that reaches them reaches no memory of a process of 64.
var secret = func() *[16]byte {
	s := new([16]byte)
	_, _ = rand.Read(s[:]) // never fails
	return s
}()

func ownSecret() (addr uint64, s [16]byte) { return uint64(uintptr(unsafe.Pointer(secret))), *secret }
