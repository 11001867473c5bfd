package iwarp

import "encoding/binary"

// ParseRequest parses a request frame at the start of b. It ignores later bytes; an
// initiator must not send any until it has the reply.
func ParseRequest(b []byte, f *Frame) (used, need int, err error) {
	return parseFrame(b, keyRequest, f)
}

// ParseReply parses a reply frame at the start of b. FPDUs may follow it.
func ParseReply(b []byte, f *Frame) (used, need int, err error) {
	return parseFrame(b, keyReply, f)
}

func parseFrame(b []byte, key string, f *Frame) (used, need int, err error) {
	// A wrong key is refused at its first wrong byte, so a peer that speaks another
	// protocol does not keep the connection open.
	if n := min(len(b), KeySize); string(b[:n]) != key[:n] {
		return 0, 0, ErrKey
	}
	if len(b) < FrameHeaderSize {
		return 0, FrameHeaderSize - len(b), nil
	}
	flags, rev := b[16], Revision(b[17])
	private := int(binary.BigEndian.Uint16(b[18:]))
	if rev != Revision1 && rev != Revision2 {
		return 0, 0, ErrRevision
	}
	if private > MaxPrivate {
		return 0, 0, ErrPrivateLength
	}
	end := FrameHeaderSize + private
	if len(b) < end {
		return 0, end - len(b), nil
	}
	v := Frame{
		Revision: rev,
		Markers:  flags&flagMarkers != 0,
		CRC:      flags&flagCRC != 0,
		Reject:   flags&flagReject != 0 && key == keyReply,
		// The bit was reserved in revision 1.
		Enhanced: flags&flagEnhanced != 0 && rev == Revision2,
		Private:  b[FrameHeaderSize:end:end],
	}
	if v.Enhanced {
		// Check this only after the whole frame has arrived: if bytes are unread
		// when the connection is closed, TCP resets it and the peer loses the
		// refusal.
		if private < EnhancedSize {
			if key == keyReply {
				return 0, 0, ErrReplyPrivateShort
			}
			return 0, 0, ErrRequestPrivateShort
		}
		parseEnhanced(v.Private, &v)
		v.Private = v.Private[EnhancedSize:]
	}
	*f = v
	return end, 0, nil
}

func parseEnhanced(b []byte, f *Frame) {
	first, second := binary.BigEndian.Uint16(b), binary.BigEndian.Uint16(b[2:])
	f.PeerToPeer = first&wordHigh != 0
	if first&wordLow != 0 {
		f.RTR |= RTRSend
	}
	if second&wordHigh != 0 {
		f.RTR |= RTRWrite
	}
	if second&wordLow != 0 {
		f.RTR |= RTRRead
	}
	f.IRD, f.ORD = Depth(first&wordDepth), Depth(second&wordDepth)
}

// AppendRequest appends a request. It fails with ErrRevision, ErrPrivateLength or
// ErrDepth if f cannot be sent.
func AppendRequest(dst []byte, f *Frame) ([]byte, error) {
	return appendFrame(dst, keyRequest, f)
}

// AppendReply appends a reply. It fails as AppendRequest does.
func AppendReply(dst []byte, f *Frame) ([]byte, error) {
	return appendFrame(dst, keyReply, f)
}

func appendFrame(dst []byte, key string, f *Frame) ([]byte, error) {
	private := len(f.Private)
	if f.Enhanced {
		private += EnhancedSize
	}
	switch {
	case f.Revision != Revision2 && (f.Enhanced || f.Revision != Revision1):
		return dst, ErrRevision
	case private > MaxPrivate:
		return dst, ErrPrivateLength
	case f.Enhanced && (f.IRD > wordDepth || f.ORD > wordDepth):
		return dst, ErrDepth
	}
	flags := bit(f.Markers, flagMarkers) | bit(f.CRC, flagCRC) | bit(f.Enhanced, flagEnhanced) |
		bit(f.Reject && key == keyReply, flagReject)
	dst = append(dst, key...)
	dst = append(dst, byte(flags), byte(f.Revision))
	dst = binary.BigEndian.AppendUint16(dst, uint16(private))
	if f.Enhanced {
		first := uint16(f.IRD) | bit(f.PeerToPeer, wordHigh) | bit(f.RTR&RTRSend != 0, wordLow)
		second := uint16(f.ORD) | bit(f.RTR&RTRWrite != 0, wordHigh) | bit(f.RTR&RTRRead != 0, wordLow)
		dst = binary.BigEndian.AppendUint16(dst, first)
		dst = binary.BigEndian.AppendUint16(dst, second)
	}
	return append(dst, f.Private...), nil
}

// bit returns mask if set, else 0.
func bit(set bool, mask uint16) uint16 {
	if set {
		return mask
	}
	return 0
}
