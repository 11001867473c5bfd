package iwarp

import (
	"encoding/binary"
	"math/bits"
)

// ParseTerminate parses the payload of a Terminate. The only error is a payload of less
// than 4 bytes. Truncated parts are omitted. Bytes after the parts are ignored. Slices
// share body's memory.
//
// The Linux siw driver on a little-endian machine swaps the nibbles of the first byte
// and puts the header flags at the other end of the third. The position of the flags tells
// which form it is. Without flags, it is the form in which the cause is known. Some causes
// are known in both forms: the MPA errors of RFC 6581 and three remote operation errors.
// For those, startup decides, which says that this is the peer's first FPDU: MPA errors
// occur only then. siw does not send CauseMPALocal, so 0x0205 is always in siw's form.
func ParseTerminate(body []byte, startup bool, t *Terminate) error {
	if len(body) < TerminateSize {
		return ErrTerminateShort
	}
	v := Terminate{Raw: [TerminateSize]byte(body)}
	var parts uint8
	v.Cause, parts, v.SIW = readControl(v.Raw, startup)
	rest := body[TerminateSize:]
	cut := func(n int) []byte {
		if len(rest) < n {
			v.Truncated = true
			return nil
		}
		part := rest[:n:n]
		rest = rest[n:]
		return part
	}
	v.HasLength = parts&partLength != 0
	if parts&(partLength|partDDP) != 0 {
		if b := cut(2); b != nil {
			v.SegmentLength = binary.BigEndian.Uint16(b)
		} else {
			v.HasLength = false
		}
	}
	if parts&partDDP != 0 {
		n := UntaggedHeaderSize
		if len(rest) > 0 {
			n = HeaderLen(rest[0])
		}
		v.DDP = cut(n)
	}
	if parts&partRDMAP != 0 {
		v.ReadRequest = cut(ReadRequestSize)
	}
	*t = v
	return nil
}

// readControl detects the form of the control word and reads it.
func readControl(raw [TerminateSize]byte, startup bool) (c Cause, parts uint8, siw bool) {
	rfc := Cause(binary.BigEndian.Uint16(raw[:]))
	swapped := MakeCause(Layer(raw[0]&0xf), EType(raw[0]>>4), raw[1])
	flags := raw[2]
	switch {
	case flags&partsSIW != 0 && flags&partsRFC == 0:
		return swapped, bits.Reverse8(flags & partsSIW), true
	case !rfc.Known() && swapped.Known():
		return swapped, flags & partsRFC, true
	case flags&partsRFC != 0:
	case startup && (swapped == CauseMPAIRD || swapped == CauseMPARTR):
		return swapped, 0, true
	case !startup && (rfc == CauseMPALocal || rfc == CauseMPAIRD || rfc == CauseMPARTR):
		return swapped, 0, true
	}
	return rfc, flags & partsRFC, false
}
