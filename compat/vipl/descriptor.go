package vipl

import "github.com/godapl/godapl/internal/fence"

// DescriptorAlignment is how descriptors are aligned, in bytes (VIP_DESCRIPTOR_ALIGNMENT).
const DescriptorAlignment = 64

// Descriptor is a posted operation (VIP_DESCRIPTOR): a control segment, for RDMA operations
// one address segment, and data segments. It lies in registered memory, at a multiple of
// [DescriptorAlignment], with the layout of C: [DescriptorAt]. It is declared with two
// segments; those behind them are in the same memory: [SegmentsOf].
//
// From the post until Done, Wait or Notify gives it back, the descriptor and its buffers
// belong to the library.
type Descriptor struct {
	CS ControlSegment
	DS [2]DescriptorSegment
}

// ControlSegment is the first part of a descriptor, 32 bytes (VIP_CONTROL_SEGMENT).
type ControlSegment struct {
	// Next and NextHandle are the library's, which does not use them.
	Next       uint64
	NextHandle MemHandle
	// SegCount is how many segments follow.
	SegCount uint16
	// Control is the operation and its flags: [ControlOpSendrecv] and so on.
	Control       uint16
	Reserved      uint32
	ImmediateData uint32
	// Length is the sum of the data segments, in bytes; after completion, what has moved.
	Length uint32
	// Status is written by the library: [StatusDone] and so on. See [Descriptor.Done].
	Status uint32
}

// DescriptorSegment is 16 bytes: a data segment, or an address segment: [DescriptorSegment.Remote]
// (VIP_DESCRIPTOR_SEGMENT, a union).
type DescriptorSegment struct {
	Local DataSegment
}

// DataSegment is memory of this side (VIP_DATA_SEGMENT): address, handle, and number of
// bytes.
type DataSegment struct {
	Data   uint64
	Handle MemHandle
	Length uint32
}

// AddressSegment is memory of the peer (VIP_ADDRESS_SEGMENT).
type AddressSegment struct {
	Data     uint64
	Handle   MemHandle
	Reserved uint32
}

const (
	controlSize = 32
	segmentSize = 16
)

// Done reads the status, and tells whether the descriptor is complete. The status is written
// by the calls that look for completions (Done, Wait and Notify of the queue or of its
// completion queue), so a program that only looks at it waits for ever.
func (d *Descriptor) Done() bool { return statusIn(d.outcome().Load())&StatusDone != 0 }

// finish writes the result of the descriptor. Length and status are one word, which is stored at once.
func (d *Descriptor) finish(status, length uint32) {
	fence.StoreRelease(d.outcome(), outcomeOf(status|StatusDone, length))
}
