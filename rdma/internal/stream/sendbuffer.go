package stream

import (
	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mem"
)

const (
	// sendLeast is the first size of a SendBuffer, in bytes, and the least limit of one.
	sendLeast = 16 << 10
	// sendMost bounds the size, since numbers of bytes are modulo 2^32.
	sendMost = 1 << 30
)

// SendLimit is the limit of a SendBuffer that a configuration has as n: 1 MiB if n is not positive.
func SendLimit(n int) int {
	if n <= 0 {
		n = 1 << 20
	}
	return min(max(n, sendLeast), sendMost)
}

// growth is the factor of a step.
const growth = 4

// SendBuffer is memory for bytes on their way, filled front to back and round again. It begins with
// sendLeast bytes and has four times as many when it is short, or more for bytes that are more than all of it: each step
// is a registration, during which nothing is sent. Numbers of bytes are counted from the beginning of the connection,
// modulo 2^32.
type SendBuffer struct {
	// Zone has the memory, of which there are at most Most bytes, a [SendLimit].
	Zone *rdma.Zone
	Most int
	// Posted is how many bytes have been taken.
	Posted uint32

	region *mem.Region
	bytes  []byte
	at     int    // where the next bytes go
	start  uint32 // of the bytes in this region that may be on their way
	freed  uint32 // what the adapter does not need any more
	// marked and ops are Posted and the number of operations when the latest completion was asked for.
	marked uint32
	ops    uint16
	// old is the former, smaller memory, until everything in it is sent.
	old *mem.Region
}

// under is how many bytes of the memory are in use.
func (b *SendBuffer) under() int {
	if int32(b.freed-b.start) < 0 {
		return int(b.Posted - b.start)
	}
	return int(b.Posted - b.freed)
}

// Under is how many bytes are on their way, as far as completions tell.
func (b *SendBuffer) Under() int { return int(b.Posted - b.freed) }

// Full reports whether all of the memory is in use.
func (b *SendBuffer) Full() bool { return b.region != nil && b.under() == len(b.bytes) }

// Short reports whether more than half of the memory is in use.
func (b *SendBuffer) Short() bool { return b.under() > len(b.bytes)/2 }

// Mark reports whether a completion should be asked for with the next operation, whose number
// is ops, so that memory and places of operations come back: after a quarter of the memory, or after the
// number of operations given. It takes note that one is.
func (b *SendBuffer) Mark(ops, every uint16) bool {
	if int(b.Posted-b.marked) < len(b.bytes)/4 && ops-b.ops < every {
		return false
	}
	b.marked, b.ops = b.Posted, ops
	return true
}

// Room is free memory in one piece, at most want bytes of it. It gets more memory if there is
// none free, or if want is more than all of it.
func (b *SendBuffer) Room(want int) ([]byte, error) {
	if (b.region == nil || b.Full() || want > len(b.bytes)) && b.old == nil && len(b.bytes) < b.Most {
		if err := b.grow(want); err != nil {
			return nil, err
		}
	}
	if b.under() == 0 {
		b.at = 0 // what the caches hold already
	}
	if b.region.Freed() {
		return nil, rdma.ErrClosed
	}
	n := min(want, len(b.bytes)-b.under(), len(b.bytes)-b.at)
	return b.bytes[b.at : b.at+n], nil
}

// Has reports whether want bytes are free, in two pieces at most. It gets more memory if they are not.
func (b *SendBuffer) Has(want int) bool {
	if want > len(b.bytes)-b.under() && b.old == nil && len(b.bytes) < b.Most {
		_ = b.grow(want) // what there is will do
	}
	return want <= len(b.bytes)-b.under()
}

// grow gets growth times the memory, and what want bytes need. If that fails, the present memory will do.
func (b *SendBuffer) grow(want int) error {
	size := max(growth*len(b.bytes), sendLeast)
	for size < min(want, b.Most) {
		size *= 2
	}
	region, err := b.Zone.Alloc(min(size, b.Most), mem.Local)
	if err != nil {
		if b.region == nil {
			return err
		}
		return nil
	}
	b.old, b.region, b.bytes = b.region, region, region.Bytes()
	b.at, b.start = 0, b.Posted
	b.Release(b.freed)
	return nil
}

// Take takes n bytes of what room has given.
func (b *SendBuffer) Take(n int) mem.Slice {
	s := b.region.Slice(b.at, n)
	b.at = (b.at + n) % len(b.bytes)
	b.Posted += uint32(n)
	return s
}

// Release takes note that all bytes before upTo are sent.
func (b *SendBuffer) Release(upTo uint32) {
	b.freed = upTo
	if int32(upTo-b.start) < 0 {
		return
	}
	b.start = upTo // it stays near Posted, since numbers are modulo 2^32
	if b.old != nil {
		_ = b.old.Free()
		b.old = nil
	}
}

// Free frees everything.
func (b *SendBuffer) Free() {
	for _, r := range []*mem.Region{b.old, b.region} {
		if r != nil {
			_ = r.Free()
		}
	}
}

// Size is the bytes of the memory.
func (b *SendBuffer) Size() int { return len(b.bytes) }
