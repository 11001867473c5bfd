package vipl_test

import (
	"unsafe"

	"github.com/godapl/godapl/compat/vipl"
)

// descriptorAt is [vipl.DescriptorAt] without checks.
func descriptorAt(b []byte) *vipl.Descriptor { return (*vipl.Descriptor)(unsafe.Pointer(&b[0])) }
