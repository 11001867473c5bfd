package iwarp

import "encoding/binary"

// Segment is a parsed ULPDU.
type Segment struct {
	Payload []byte
	// Len is the length of the whole payload in bytes. Payload is shorter only after
	// ParseSegmentPrefix.
	Len int

	// Of tagged segments.
	TO   TO
	STag STag

	// Of untagged segments. InvSTag means something for Sends that invalidate.
	InvSTag STag
	QN      QN
	MSN     MSN
	MO      MO

	Op     Opcode
	Tagged bool
	Last   bool
}

// ParseSegment parses a whole ULPDU and makes all checks that do not depend on the
// connection: the versions are known; opcode, tagged flag and queue are consistent; a
// message of fixed size is one segment of that size; offsets do not wrap. The caller
// checks whether extensions are allowed (Opcode.Extension), the order of MSN and MO of
// Sends, the MSN of requests, STag, rights, bounds, and room in the queues. The payload
// shares ulpdu's memory.
func ParseSegment(ulpdu []byte, s *Segment) error {
	_, err := ParseSegmentPrefix(ulpdu, len(ulpdu), s)
	return err
}

// ParseSegmentPrefix is ParseSegment for the beginning of a ULPDU of the given length,
// so that the rest of a large payload can be read directly to its destination. It needs
// the header, and returns the part of the payload that b contains. The CRC has not been
// checked then: nothing may be completed or delivered before it has.
func ParseSegmentPrefix(b []byte, ulpdu int, s *Segment) (need int, err error) {
	if ulpdu < 2 {
		return 0, ErrSegmentShort
	}
	b = b[:min(len(b), ulpdu)]
	if len(b) < 2 {
		return 2 - len(b), nil
	}
	if b[0]&ddpTagged != 0 {
		return parseTagged(b, ulpdu, s)
	}
	return parseUntagged(b, ulpdu, s)
}

func parseTagged(b []byte, ulpdu int, s *Segment) (need int, err error) {
	switch {
	case b[0]&ddpVersionMask != ddpVersion:
		return 0, ErrDDPVersionTagged
	case ulpdu < TaggedHeaderSize:
		return 0, ErrSegmentShort
	case len(b) < TaggedHeaderSize:
		return TaggedHeaderSize - len(b), nil
	case b[1]&rdmapVersionMask != rdmapVersion:
		return 0, ErrRDMAPVersion
	}
	op := Opcode(b[1] & rdmapOpcodeMask)
	to, n := TO(binary.BigEndian.Uint64(b[6:])), ulpdu-TaggedHeaderSize
	switch {
	case op.info().name == "":
		return 0, ErrOpcode
	case !op.info().tagged:
		return 0, ErrOpcodeModel
	case to+TO(n) < to:
		return 0, ErrTOWrap // an empty segment never wraps
	}
	// Assign field by field, here and below: the compiler would build a literal on the
	// stack and copy it.
	s.Payload, s.Len = b[TaggedHeaderSize:len(b):len(b)], n
	s.TO, s.STag = to, STag(binary.BigEndian.Uint32(b[2:]))
	s.InvSTag, s.QN, s.MSN, s.MO = 0, 0, 0, 0
	s.Op, s.Tagged, s.Last = op, true, b[0]&ddpLast != 0
	return 0, nil
}

func parseUntagged(b []byte, ulpdu int, s *Segment) (need int, err error) {
	switch {
	case b[0]&ddpVersionMask != ddpVersion:
		return 0, ErrDDPVersionUntagged
	case ulpdu < UntaggedHeaderSize:
		return 0, ErrSegmentShort
	case len(b) < UntaggedHeaderSize:
		return UntaggedHeaderSize - len(b), nil
	}
	op, last := Opcode(b[1]&rdmapOpcodeMask), b[0]&ddpLast != 0
	qn := QN(binary.BigEndian.Uint32(b[6:]))
	msn := MSN(binary.BigEndian.Uint32(b[10:]))
	mo := MO(binary.BigEndian.Uint32(b[14:]))
	n := ulpdu - UntaggedHeaderSize
	info := op.info()
	switch {
	case b[1]&rdmapVersionMask != rdmapVersion:
		return 0, ErrRDMAPVersion
	case op == OpTerminate:
		// This check comes first, because a Terminate must not be answered with a Terminate.
		if qn != QueueTerminate || msn != FirstMSN || mo != 0 || !last {
			return 0, ErrTerminateShape
		}
	case qn >= queues:
		return 0, ErrQN
	case info.name == "":
		return 0, ErrOpcode
	case info.tagged:
		return 0, ErrOpcodeModel
	case info.queue != qn:
		return 0, ErrOpcodeQueue
	case info.body != 0:
		switch {
		case mo != 0:
			return 0, ErrMO
		case !last:
			return 0, ErrNotLast
		case n < info.body:
			return 0, info.tooShort
		case n > info.body:
			return 0, info.tooLong
		}
	case uint64(mo)+uint64(n) > MaxMessage:
		return 0, ErrMessageLong
	}
	s.Payload, s.Len = b[UntaggedHeaderSize:len(b):len(b)], n
	s.TO, s.STag = 0, 0
	s.InvSTag, s.QN, s.MSN, s.MO = STag(binary.BigEndian.Uint32(b[2:])), qn, msn, mo
	s.Op, s.Tagged, s.Last = op, false, last
	return 0, nil
}

// ParseWholeSend combines ParseFPDU and ParseSegment for the most frequent case: an
// FPDU that is completely in b and holds a Send of one segment. Otherwise, and for any
// error, ok is false; call the two functions then. The payload shares b's memory.
func ParseWholeSend(b []byte, crc bool) (payload []byte, msn MSN, used int, ok bool) {
	const size = LengthSize + UntaggedHeaderSize
	if len(b) < size+CRCSize || b[2] != ddpLast|ddpVersion || b[3] != rdmapVersion|byte(OpSend) {
		return nil, 0, 0, false
	}
	n := int(binary.BigEndian.Uint16(b))
	used = FPDULen(n)
	if n < UntaggedHeaderSize || used > len(b) || binary.BigEndian.Uint32(b[8:]) != uint32(QueueSend) || binary.BigEndian.Uint32(b[16:]) != 0 {
		return nil, 0, 0, false
	}
	if crc && CRC(b[:used-CRCSize]) != crcField(b[used-CRCSize:]) {
		return nil, 0, 0, false
	}
	return b[size : LengthSize+n : LengthSize+n], MSN(binary.BigEndian.Uint32(b[12:])), used, true
}

// PutWholeSend writes the FPDU of a Send of one segment, OpSend or OpSendSE, at the
// start of dst, and returns it. It panics if dst is too short.
func PutWholeSend(dst []byte, op Opcode, msn MSN, payload []byte, crc bool) []byte {
	const size = LengthSize + UntaggedHeaderSize
	n := UntaggedHeaderSize + len(payload)
	checkULPDU(n)
	b := dst[:FPDULen(n)]
	end := len(b) - CRCSize
	binary.LittleEndian.PutUint32(b[end-4:], 0) // the pad, if any
	binary.BigEndian.PutUint32(b, uint32(n)<<16|(ddpLast|ddpVersion)<<8|rdmapVersion|uint32(op))
	binary.BigEndian.PutUint64(b[4:], uint64(QueueSend))
	binary.BigEndian.PutUint64(b[12:], uint64(msn)<<32)
	copy(b[size:], payload)
	sum := uint32(0)
	if crc {
		sum = CRC(b[:end])
	}
	binary.LittleEndian.PutUint32(b[end:], sum)
	return b
}
