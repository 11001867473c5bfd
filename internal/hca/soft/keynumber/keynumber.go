package keynumber

import (
	"crypto/rand"
	"encoding/binary"
	"sync/atomic"
)

// Hook, if set, draws the numbers. Only tests set it: random keys hardly ever share a page of a table of keys.
var Hook atomic.Pointer[func() uint32]

// Next returns the next number.
func Next() uint32 {
	if f := Hook.Load(); f != nil {
		return (*f)()
	}
	var b [4]byte
	_, _ = rand.Read(b[:]) // never fails, see its documentation
	return binary.LittleEndian.Uint32(b[:])
}
