package vipl

import (
	"sync/atomic"
	"unsafe"
)

// AddressOf is the address of the first byte, as segments have it: in C a cast of the
// pointer. 0 without bytes. It is good while the memory is registered.
func AddressOf(b []byte) uint64 { return uint64(uintptr(unsafe.Pointer(unsafe.SliceData(b)))) }

// DescriptorAt is the descriptor that begins at the first byte, which must be a multiple of
// [DescriptorAlignment] in memory, and have 64 bytes at least: nil otherwise. In C it is a
// cast of the pointer.
func DescriptorAt(b []byte) *Descriptor {
	if len(b) < DescriptorAlignment || AddressOf(b)%DescriptorAlignment != 0 {
		return nil
	}
	return (*Descriptor)(unsafe.Pointer(&b[0]))
}

// SegmentsOf is all segments that have room in the bytes of a descriptor, which begins at
// the first byte: what C reaches with an index beyond the declared ones.
func SegmentsOf(b []byte) []DescriptorSegment {
	if DescriptorAt(b) == nil {
		return nil
	}
	return segments(b[controlSize:])
}

// segments is the segments in b, whose address is a multiple of 16.
func segments(b []byte) []DescriptorSegment {
	return unsafe.Slice((*DescriptorSegment)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/segmentSize)
}

// Remote is the segment as an address segment: the first of an RDMA descriptor.
func (s *DescriptorSegment) Remote() *AddressSegment { return (*AddressSegment)(unsafe.Pointer(s)) }

// address is where the descriptor is.
func (d *Descriptor) address() uint64 { return uint64(uintptr(unsafe.Pointer(d))) }

// list is the first n segments of a descriptor. The caller has checked that they are in its memory.
func (d *Descriptor) list(n uint16) []DescriptorSegment { return unsafe.Slice(&d.DS[0], n) }

// outcome is the word that has Length and Status.
func (d *Descriptor) outcome() *atomic.Uint64 {
	return (*atomic.Uint64)(unsafe.Pointer(&d.CS.Length))
}

// outcomeOf is that word. bigEndian, a constant, tells how the processor stores its two halves.
func outcomeOf(status, length uint32) uint64 {
	if bigEndian {
		status, length = length, status
	}
	return uint64(status)<<32 | uint64(length)
}

func statusIn(outcome uint64) uint32 {
	if bigEndian {
		return uint32(outcome)
	}
	return uint32(outcome >> 32)
}

// Memalign allocates size bytes at a multiple of alignment, a power of 2: what programs in C
// have from posix_memalign, for descriptors and pages.
func Memalign(alignment, size int) []byte {
	b := make([]byte, size+alignment)
	off := int(-AddressOf(b) & uint64(alignment-1))
	return b[off : off+size : off+size]
}

// The layout is that of C: a difference is a constant that overflows.
const (
	_ = -uint(unsafe.Sizeof(ControlSegment{}) ^ controlSize)
	_ = -uint(unsafe.Offsetof(ControlSegment{}.Next))
	_ = -uint(unsafe.Offsetof(ControlSegment{}.NextHandle) ^ 8)
	_ = -uint(unsafe.Offsetof(ControlSegment{}.SegCount) ^ 12)
	_ = -uint(unsafe.Offsetof(ControlSegment{}.Control) ^ 14)
	_ = -uint(unsafe.Offsetof(ControlSegment{}.Reserved) ^ 16)
	_ = -uint(unsafe.Offsetof(ControlSegment{}.ImmediateData) ^ 20)
	_ = -uint(unsafe.Offsetof(ControlSegment{}.Length) ^ 24)
	_ = -uint(unsafe.Offsetof(ControlSegment{}.Status) ^ 28)

	_ = -uint(unsafe.Sizeof(AddressSegment{}) ^ segmentSize)
	_ = -uint(unsafe.Offsetof(AddressSegment{}.Data))
	_ = -uint(unsafe.Offsetof(AddressSegment{}.Handle) ^ 8)
	_ = -uint(unsafe.Offsetof(AddressSegment{}.Reserved) ^ 12)

	_ = -uint(unsafe.Sizeof(DataSegment{}) ^ segmentSize)
	_ = -uint(unsafe.Offsetof(DataSegment{}.Data))
	_ = -uint(unsafe.Offsetof(DataSegment{}.Handle) ^ 8)
	_ = -uint(unsafe.Offsetof(DataSegment{}.Length) ^ 12)

	_ = -uint(unsafe.Sizeof(DescriptorSegment{}) ^ segmentSize)
	_ = -uint(unsafe.Sizeof(Descriptor{}) ^ DescriptorAlignment)
	_ = -uint(unsafe.Offsetof(Descriptor{}.DS) ^ controlSize)
)
