package endpoint_test

import (
	"encoding/binary"

	"github.com/godapl/godapl/fuzz/reference"
)

// message is a segment of a Send.
func (s *script) message(c byte) {
	op := []byte{reference.Send, reference.SendSE, reference.SendInv, reference.SendSEInv}[c>>4&3]
	last := c&0x80 == 0
	stag := uint32(s.delta()) // means nothing
	if op == reference.SendInv || op == reference.SendSEInv {
		stag, _ = s.place()
	}
	b := s.payload(int(s.next() % 20))
	s.fpdu(append(untagged(op, last, stag, 0, s.send+1+uint32(s.delta()), s.mo+uint32(s.delta())), b...))
	s.mo += uint32(len(b))
	if last {
		s.send, s.mo = s.send+1, 0
	}
}

func (s *script) immediate() {
	u := untagged(reference.Immediate+s.next()&1, true, 0, 0, s.send+1+uint32(s.delta()), 0)
	s.fpdu(append(u, s.payload(8)...))
	s.send++
}

func (s *script) readRequest() {
	stag, to := s.place()
	u := untagged(reference.ReadRequest, true, 0, 1, s.request+1+uint32(s.delta()), 0)
	u = binary.BigEndian.AppendUint32(u, 0xfeed0000+s.request)
	u = binary.BigEndian.AppendUint64(u, uint64(s.request)<<40)
	u = binary.BigEndian.AppendUint32(u, uint32(s.next()%40)+uint32(s.delta()))
	u = binary.BigEndian.AppendUint32(u, stag)
	s.fpdu(binary.BigEndian.AppendUint64(u, to))
	s.request++
}

func (s *script) atomicRequest() {
	stag, to := s.place()
	c := s.next()
	u := untagged(reference.AtomicRequest, true, 0, 1, s.request+1+uint32(s.delta()), 0)
	u = append(u, 0, 0, 0, []byte{0, 2, 0, 2, 0, 2, 1, 15}[c&7])
	u = binary.BigEndian.AppendUint32(u, 0xa70000+s.request)
	u = binary.BigEndian.AppendUint32(u, stag)
	if c&0x80 == 0 {
		to &^= 7
	}
	u = binary.BigEndian.AppendUint64(u, to)
	for range 4 {
		u = binary.BigEndian.AppendUint64(u, uint64(s.next())*0x0101_8040_2010_0801)
	}
	s.fpdu(u)
	s.request++
}

// readResponse is a segment of the answer to our oldest read.
func (s *script) readResponse() {
	read := reference.Read{}
	if s.reads < len(s.ref.Reads) {
		read = s.ref.Reads[s.reads]
	}
	left := max(0, len(read.Sink)-s.off)
	n := left
	if c := s.next(); c >= 0x80 { // a part, or too much
		n = max(0, min(int(c)-0x80, left+3))
	}
	last := n == left
	if s.next() == 0xff {
		last = !last
	}
	s.fpdu(append(tagged(reference.ReadResponse, last, read.STag+uint32(s.delta()), read.TO+uint64(s.off)+s.delta()), s.payload(n)...))
	s.off += n
	if last {
		s.reads, s.off = s.reads+1, 0
	}
}

func (s *script) atomicResponse() {
	read := reference.Read{}
	if s.reads < len(s.ref.Reads) {
		read = s.ref.Reads[s.reads]
	}
	u := untagged(reference.AtomicResponse, true, 0, 3, s.answer+1+uint32(s.delta()), 0)
	u = binary.BigEndian.AppendUint32(u, read.STag+uint32(s.delta()))
	s.fpdu(append(u, s.payload(8)...))
	s.reads++
	s.answer++
}

// terminate is any body of a few bytes, or one about one of our requests.
func (s *script) terminate() {
	u := untagged(reference.Terminate, true, 0, 2, 1, 0)
	c := s.next()
	if c&0x80 == 0 {
		s.fpdu(append(u, s.take(int(c&7))...))
		return
	}
	read := reference.Read{MSN: 1}
	if len(s.ref.Reads) > 0 {
		read = s.ref.Reads[int(s.next())%len(s.ref.Reads)]
	}
	op := byte(reference.ReadRequest)
	if read.Atomic {
		op = reference.AtomicRequest
	}
	cause := []uint16{0x0100, 0x0102, 0x0207, 0x1202, 0x0000, 0x2002, 0x0205, 0x1100}[c&7]
	u = binary.BigEndian.AppendUint16(u, cause)
	u = append(u, []byte{0xc0, 0xe0, 0xc0, 0x40}[c>>3&3], 0, 0, 46)
	u = append(u, untagged(op, true, 0, 1+uint32(s.delta()), read.MSN+uint32(s.delta()), 0)...)
	u = binary.BigEndian.AppendUint32(u, read.STag+uint32(s.delta()))
	s.fpdu(append(u, s.payload(24)...))
}
