package mailbox

import "unsafe"

// byteOrder is that of this machine.
var byteOrder = func() string {
	one := uint16(1)
	if *(*byte)(unsafe.Pointer(&one)) == 1 {
		return "little-endian"
	}
	return "big-endian"
}()

// bytesOf is the memory of a value of a plain type.
func bytesOf[V any](v *V) []byte { return unsafe.Slice((*byte)(unsafe.Pointer(v)), unsafe.Sizeof(*v)) }
