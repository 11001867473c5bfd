package reference

import (
	"encoding/binary"
	"slices"
)

// terminated is the peer's Terminate (RFC 5040, 4.8). A read or atomic operation that it
// includes the header of was refused.
func (e *Endpoint) terminated(body []byte) {
	e.refuse(Close)
	cause, d, r := aboutWhat(body)
	if cause.kind == 0 || cause == (code{0, 2, 5}) || cause == (code{1, 1, 4}) || cause == (code{1, 2, 6}) {
		return // no fault of a segment, or nothing in it can be believed
	}
	if len(d) < 18 || d[0]>>7 == 1 || d[0]&3 != 1 || d[1]>>6 != 1 || binary.BigEndian.Uint32(d[6:]) != 1 {
		return
	}
	op := d[1] & 15
	if op != ReadRequest && op != AtomicRequest {
		return
	}
	i := slices.IndexFunc(e.Reads, func(p Read) bool {
		return p.MSN == binary.BigEndian.Uint32(d[10:]) && p.Atomic == (op == AtomicRequest) &&
			(p.Atomic || r == nil || binary.BigEndian.Uint32(r) == p.STag)
	})
	if i < 0 {
		return
	}
	how := "unaccepted"
	if cause.layer < 2 && cause.kind == 1 { // remote protection, tagged buffer
		how = "no access"
	}
	e.Done = append(e.Done, Done{ID: e.Reads[i].ID, How: how})
	e.Reads = slices.Delete(e.Reads, i, i+1)
}

// A code is the numbers of a Terminate.
type code struct{ layer, kind, number byte }

// aboutWhat reads a Terminate's numbers and the headers that it includes: nil for those
// that it does not, or not wholly. Linux's siw has the numbers' nibbles exchanged, and the
// flags at the other end of their byte.
func aboutWhat(b []byte) (c code, ddp, request []byte) {
	if len(b) < 4 {
		return c, nil, nil
	}
	c = code{b[0] >> 4, b[0] & 15, b[1]}
	siw := code{b[0] & 15, b[0] >> 4, b[1]}
	length, header, body := b[2]&0x80 != 0, b[2]&0x40 != 0, b[2]&0x20 != 0
	switch {
	case b[2]&0xe0 == 0 && b[2]&7 != 0:
		c = siw
		length, header, body = b[2]&1 != 0, b[2]&2 != 0, b[2]&4 != 0
	case !known[c] && known[siw]:
		c = siw
	}
	b = b[4:]
	if length || header {
		b = b[min(2, len(b)):]
	}
	if !header || len(b) == 0 {
		return c, nil, nil
	}
	n := 18
	if b[0]>>7 == 1 {
		n = 14
	}
	if len(b) < n {
		return c, nil, nil
	}
	ddp, b = b[:n], b[n:]
	if body && len(b) >= 28 {
		request = b[:28]
	}
	return c, ddp, request
}

// known are the numbers that the standards give a meaning, and those of RFC 6581.
var known = func() map[code]bool {
	m := map[code]bool{{0, 0, 0}: true, {1, 0, 0}: true}
	for kind, numbers := range map[[2]byte][]byte{
		{0, 1}: {0, 1, 2, 3, 4, 9, 0xff},
		{0, 2}: {5, 6, 7, 8, 9, 0xff},
		{1, 1}: {0, 1, 2, 3, 4},
		{1, 2}: {1, 2, 3, 4, 5, 6},
		{2, 0}: {1, 2, 3, 4, 5, 6, 7},
	} {
		for _, n := range numbers {
			m[code{kind[0], kind[1], n}] = true
		}
	}
	return m
}()
