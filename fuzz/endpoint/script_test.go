package endpoint_test

import (
	"encoding/binary"

	"github.com/godapl/godapl/fuzz/reference"
)

// A script makes the peer's data from the input, byte by byte. The data is mostly
// valid, with correct numbers and CRCs, so that the errors reach the deeper checks. An
// input byte below 0x80 selects the valid number where a number is needed.
type script struct {
	b    []byte
	ref  *reference.Endpoint
	out  [][]byte // FPDUs, or other pieces of the stream
	mend []byte   // how the next FPDU is changed before it is sealed

	send, request, answer uint32
	mo                    uint32
	reads                 int // of ref.Reads, those answered
	off                   int // into the answer of the next
}

func (s *script) next() byte {
	if len(s.b) == 0 {
		return 0
	}
	c := s.b[0]
	s.b = s.b[1:]
	return c
}

// delta is 0, or the error of a number.
func (s *script) delta() uint64 {
	c := s.next()
	if c < 0x80 {
		return 0
	}
	return uint64(int64(int8(c<<1)) >> 1)
}

func (s *script) take(n int) []byte {
	n = min(n, len(s.b))
	b := s.b[:n]
	s.b = s.b[n:]
	return b
}

func (s *script) payload(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(len(s.out)*17 + i)
	}
	return b
}

// maxPieces keeps a script below the limit of reads under way: exceeding it would
// depend on the speed of the endpoint's answers.
const maxPieces = 100

// run makes the stream.
func (s *script) run() [][]byte {
	for s.step() {
	}
	return s.out
}

// step makes at most one more piece, and reports whether more can follow.
func (s *script) step() bool {
	if len(s.b) > 0 && len(s.out) < maxPieces {
		switch c := s.next(); c % 16 {
		case 0, 1:
			s.write(c)
		case 2, 3, 4:
			s.message(c)
		case 5:
			s.readRequest()
		case 6, 7:
			s.readResponse()
		case 8:
			s.atomicRequest()
		case 9:
			s.atomicResponse()
		case 10:
			s.immediate()
		case 11:
			s.fpdu(s.take(int(s.next()))) // any ULPDU at all
		case 12:
			s.out = append(s.out, s.take(int(s.next()))) // any data
		case 13:
			s.mend = s.take(2)
		case 14:
			if n := len(s.out); n > 0 { // once more, or a part of it
				last := s.out[n-1]
				s.out = append(s.out, last[:min(len(last), 255-int(s.next()))])
			}
		case 15:
			s.terminate()
		}
	}
	return len(s.b) > 0 && len(s.out) < maxPieces
}

// fpdu seals a ULPDU, changed as s.mend says.
func (s *script) fpdu(u []byte) {
	u = append([]byte(nil), u...)
	if len(s.mend) == 2 && len(u) > 0 {
		u[int(s.mend[0])%len(u)] ^= s.mend[1]
	}
	s.mend = nil
	s.out = append(s.out, reference.Seal(u))
}

func tagged(op byte, last bool, stag uint32, to uint64) []byte {
	u := []byte{0x81, 0x40 | op}
	if last {
		u[0] |= 0x40
	}
	u = binary.BigEndian.AppendUint32(u, stag)
	return binary.BigEndian.AppendUint64(u, to)
}

func untagged(op byte, last bool, stag, qn, msn, mo uint32) []byte {
	u := []byte{0x01, 0x40 | op}
	if last {
		u[0] |= 0x40
	}
	for _, v := range []uint32{stag, qn, msn, mo} {
		u = binary.BigEndian.AppendUint32(u, v)
	}
	return u
}

// place picks memory: a region, and an offset that is inside for the most part.
func (s *script) place() (stag uint32, to uint64) {
	r := s.ref.Regions[int(s.next())%len(s.ref.Regions)]
	return r.STag + uint32(s.delta()), r.Base + uint64(s.next()%pieceSize) + s.delta()
}

func (s *script) write(c byte) {
	stag, to := s.place()
	s.fpdu(append(tagged(reference.Write, c&0x80 == 0, stag, to), s.payload(int(s.next()%40))...))
}
