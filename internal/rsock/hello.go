package rsock

import (
	"encoding/binary"
	"fmt"
	"math"
)

// HelloSize is the bytes of the private data that have a meaning. More may follow: InfiniBand
// pads with zeros.
const HelloSize = 40

// Version is the version of the protocol.
const Version = 1

// Flags of a Hello.
const (
	// BigEndian: the sender's entries and messages are big-endian.
	BigEndian = 1 << 0
	// HasIOMap: the field IOMap has a meaning.
	HasIOMap = 1 << 1
)

// Hello is what each side tells the other when they connect.
type Hello struct {
	Flags   uint8
	Credits uint16 // the messages with data that the reader of the Hello may send at first
	IOMap   uint8  // scaled number of entries for zero-copy transfers, which this side never has
	Table   Entry  // the table of the sender; Length counts entries
	Half    Entry  // the first half of the sender's ring
}

// Append appends the 40 bytes of h. All numbers are big-endian, whatever the flags say.
func (h *Hello) Append(b []byte) []byte {
	b = append(b, Version, h.Flags)
	b = binary.BigEndian.AppendUint16(b, h.Credits)
	b = append(b, 0, 0, 0, h.IOMap)
	for _, e := range [...]Entry{h.Table, h.Half} {
		b = binary.BigEndian.AppendUint64(b, e.Addr)
		b = binary.BigEndian.AppendUint32(b, e.Key)
		b = binary.BigEndian.AppendUint32(b, e.Length)
	}
	return b
}

// ParseHello reads the private data of a peer. It refuses values with which no byte could ever be
// sent, or with which a table or half would lie outside of the address space.
func ParseHello(b []byte) (Hello, error) {
	if len(b) < HelloSize {
		return Hello{}, fmt.Errorf("the private data has %d bytes, not at least %d: the peer is not an rsocket", len(b), HelloSize)
	}
	if b[0] != Version {
		return Hello{}, fmt.Errorf("the peer has version %d of rsockets, not %d", b[0], Version)
	}
	h := Hello{Flags: b[1], Credits: binary.BigEndian.Uint16(b[2:]), IOMap: b[7], Table: GetEntry(b[8:], true), Half: GetEntry(b[24:], true)}
	if h.Credits == 0 {
		return Hello{}, fmt.Errorf("the peer has no receives")
	}
	if n := h.Table.Length; n < 2 {
		return Hello{}, fmt.Errorf("the peer's table has %d entries, not at least 2", n)
	}
	if h.Table.Addr > math.MaxUint64-EntrySize*uint64(h.Table.Length) {
		return Hello{}, fmt.Errorf("the peer's table of %d entries at %#x goes beyond the last address", h.Table.Length, h.Table.Addr)
	}
	return h, h.Half.check("the first half of the peer's ring")
}

// Big reports whether the entries and messages of h's sender are big-endian.
func (h *Hello) Big() bool { return h.Flags&BigEndian != 0 }
