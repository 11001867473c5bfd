package mem

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"

	"github.com/godapl/godapl/internal/hca"
)

// RemoteSize is the number of bytes of a marshalled [Remote].
const RemoteSize = 20

// Remote is memory of a peer (uDAPL: DAT_RMR_TRIPLET). It is a plain value: the owner sends it
// to peers in any way, in private data for instance, and a peer may use it in reads, writes
// and atomics until the owner frees or unbinds the memory. Posts do not examine the key: the
// peer refuses one that it does not know, and that ends the connection. Reads and writes of no
// bytes, to which the zero Remote is limited, are accepted with any key and address.
type Remote struct {
	// Key is the peer's remote key.
	Key Key
	// Addr is the peer's address of the first byte.
	Addr uint64
	// Length is the number of bytes.
	Length uint64

	fault *hca.Error
}

// Len is the number of bytes, as io.NewSectionReader needs it.
func (r Remote) Len() int64 {
	if r.Length > math.MaxInt64 {
		return math.MaxInt64
	}
	return int64(r.Length)
}

// Slice is the part of n bytes that begins at off. If that is not inside r, the
// result is not valid: it has length 0, and posts refuse it with the numbers.
func (r Remote) Slice(off, n int) Remote {
	if r.fault != nil {
		return r
	}
	if off < 0 || n < 0 || uint64(off) > r.Length || uint64(n) > r.Length-uint64(off) {
		return Remote{fault: hca.NewError(hca.Invalid, "slice remote memory", "",
			fmt.Sprintf("%d bytes at offset %d are not inside %d bytes", n, off, r.Length))}
	}
	return Remote{Key: r.Key, Addr: r.Addr + uint64(off), Length: uint64(n)}
}

// Err is nil for a valid Remote; otherwise it is an rdma.ErrInvalid that names the numbers out
// of range.
func (r Remote) Err() error {
	if r.fault == nil {
		return nil
	}
	return r.fault
}

// Valid reports whether Err is nil. The peer may still refuse an access.
func (r Remote) Valid() bool { return r.fault == nil }

// String returns the address range and the key, for logs.
func (r Remote) String() string {
	if r.fault != nil {
		return "invalid (" + r.fault.Detail + ")"
	}
	return fmt.Sprintf("%#x+%d key %#08x", r.Addr, r.Length, uint32(r.Key))
}

// AppendBinary appends the 20 bytes of r to b: key (4), address (8) and length
// (8), each big-endian. It implements encoding.BinaryAppender. A value that is
// not valid is refused with rdma.ErrInvalid.
func (r Remote) AppendBinary(b []byte) ([]byte, error) {
	if r.fault != nil {
		return b, r.fault
	}
	b = binary.BigEndian.AppendUint32(b, uint32(r.Key))
	b = binary.BigEndian.AppendUint64(b, r.Addr)
	return binary.BigEndian.AppendUint64(b, r.Length), nil
}

// MarshalBinary returns the 20 bytes of r; see AppendBinary. It implements
// encoding.BinaryMarshaler.
func (r Remote) MarshalBinary() ([]byte, error) {
	return r.AppendBinary(make([]byte, 0, RemoteSize))
}

// UnmarshalBinary decodes the result of MarshalBinary. It accepts 20 bytes, which only
// zeros may follow (padding of private data: see rdma.Attributes.PrivatePadded), and a
// range that does not wrap. Otherwise it changes nothing and returns rdma.ErrInvalid. It
// implements encoding.BinaryUnmarshaler.
func (r *Remote) UnmarshalBinary(b []byte) error {
	if len(b) < RemoteSize || len(bytes.TrimRight(b[RemoteSize:], "\x00")) > 0 {
		return hca.NewError(hca.Invalid, "unmarshal remote memory", "",
			fmt.Sprintf("want %d bytes and at most zeros behind them, have %d", RemoteSize, len(b)))
	}
	key := Key(binary.BigEndian.Uint32(b))
	addr, length := binary.BigEndian.Uint64(b[4:]), binary.BigEndian.Uint64(b[12:])
	if addr+length < addr {
		return hca.NewError(hca.Invalid, "unmarshal remote memory", "",
			fmt.Sprintf("%d bytes at %#x wrap around the end of the address space", length, addr))
	}
	*r = Remote{Key: key, Addr: addr, Length: length}
	return nil
}
