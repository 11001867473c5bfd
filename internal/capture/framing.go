package capture

import (
	"encoding/binary"

	"github.com/godapl/godapl/internal/iwarp"
)

// framing follows one direction of a stream from unit to unit: a start-up frame, then
// FPDUs.
type framing struct {
	phase  phase
	have   int                         // bytes of the unit so far
	total  int                         // and in all; 0: not known yet
	first  [iwarp.FrameHeaderSize]byte // the bytes that tell the length
	marked bool                        // the FPDUs have markers
	offset uint64                      // of the unit in the stream of FPDUs
}

type phase uint8

const (
	startUp phase = iota
	fpdus
	unknown // it is not MPA
)

// step takes bytes up to the end of the unit they belong to, and reports whether
// they end it.
func (s *framing) step(p []byte) (n int, whole bool) {
	if s.total == 0 && s.phase != unknown {
		prefix := s.prefix()
		n = copy(s.first[s.have:prefix], p)
		s.have += n
		if s.have < prefix {
			return n, false
		}
		s.total = s.length()
	}
	if s.phase == unknown {
		return len(p), false
	}
	k := min(len(p)-n, s.total-s.have)
	n += k
	s.have += k
	if s.have < s.total {
		return n, false
	}
	if s.phase == fpdus {
		s.offset += uint64(s.total)
	}
	s.phase, s.have, s.total = fpdus, 0, 0
	return n, true
}

// prefix is how many bytes of a unit tell its length.
func (s *framing) prefix() int {
	switch {
	case s.phase == startUp:
		return iwarp.FrameHeaderSize
	case s.behindMarker():
		return iwarp.MarkerSize + iwarp.LengthSize
	}
	return iwarp.LengthSize
}

// behindMarker: the unit begins with a marker.
func (s *framing) behindMarker() bool { return s.marked && s.offset%iwarp.MarkerSpacing == 0 }

// length is that of the unit, or 0 and the end of all understanding.
func (s *framing) length() int {
	if s.phase == startUp {
		private := int(binary.BigEndian.Uint16(s.first[iwarp.FrameHeaderSize-2:]))
		if string(s.first[:7]) != "MPA ID " || private > iwarp.MaxPrivate {
			s.phase = unknown
			return 0
		}
		return iwarp.FrameHeaderSize + private
	}
	at := 0
	if s.behindMarker() {
		at = iwarp.MarkerSize
	}
	n := int(binary.BigEndian.Uint16(s.first[at:]))
	if n == 0 {
		s.phase = unknown
		return 0
	}
	if s.marked {
		return iwarp.MarkedLen(s.offset, iwarp.FPDULen(n))
	}
	return iwarp.FPDULen(n)
}

// border is the last end of a unit in p, or 0. With markers it is the first end:
// Wireshark cannot tell where they are if a packet has two FPDUs. It changes
// nothing.
func (s framing) border(p []byte) int {
	last := 0
	for done := 0; done < len(p); {
		n, whole := s.step(p[done:])
		done += n
		if whole {
			last = done
			if s.marked {
				break
			}
		}
	}
	return last
}

// wantsMarkers reports whether a whole start-up frame requests markers from the other
// direction.
func wantsMarkers(frame []byte) bool {
	var f iwarp.Frame
	if used, _, err := iwarp.ParseRequest(frame, &f); err != nil || used == 0 {
		f = iwarp.Frame{}
		_, _, _ = iwarp.ParseReply(frame, &f)
	}
	return f.Markers
}
