package reference

import "encoding/binary"

// Opcodes of RDMAP (RFC 5040, 4.1; RFC 7306, 4).
const (
	Write = iota
	ReadRequest
	ReadResponse
	Send
	SendInv
	SendSE
	SendSEInv
	Terminate
	Immediate
	ImmediateSE
	AtomicRequest
	AtomicResponse
	opcodes
)

// Segment is a decoded ULPDU.
type Segment struct {
	Tagged, Last bool
	Op           byte
	STag         uint32 // tagged, or to invalidate
	TO           uint64
	QN, MSN, MO  uint32
	Payload      []byte
}

// Parse reads a ULPDU (RFC 5041, 4; RFC 5040, 4), and tells all that is wrong
// with it, whatever the state of its connection.
func Parse(u []byte) (s Segment, wrong []string) {
	no := func(reactions ...string) { wrong = append(wrong, reactions...) }
	header := 18
	if len(u) > 0 && u[0]>>7 == 1 {
		s.Tagged, header = true, 14
	}
	if len(u) > 0 && u[0]&3 != 1 {
		no(map[bool]string{true: "1/1/0x04", false: "1/2/0x06"}[s.Tagged])
	}
	if len(u) < header {
		no("1/0/0x00", Close)
		return s, wrong
	}
	s.Last, s.Op, s.Payload = u[0]>>6&1 == 1, u[1]&15, u[header:]
	if u[1]>>6 != 1 {
		no("0/2/0x05")
	}
	s.STag = binary.BigEndian.Uint32(u[2:])
	if s.Tagged {
		s.TO = binary.BigEndian.Uint64(u[6:])
		if s.Op != Write && s.Op != ReadResponse {
			no("0/2/0x06")
		}
		if s.TO+uint64(len(s.Payload)) < s.TO {
			no("1/1/0x03")
		}
		return s, wrong
	}
	s.QN, s.MSN, s.MO = binary.BigEndian.Uint32(u[6:]), binary.BigEndian.Uint32(u[10:]), binary.BigEndian.Uint32(u[14:])
	if s.Op == Terminate { // is never answered with another
		if s.QN != 2 || s.MSN != 1 || s.MO != 0 || !s.Last {
			no(Close)
		}
		return s, wrong
	}
	if s.QN > 3 {
		no("1/2/0x01")
	}
	if queue, ok := queues[s.Op]; !ok {
		no("0/2/0x06")
	} else if s.QN != queue {
		no("0/2/0x06", "1/2/0x01")
	}
	if size, ok := sizes[s.Op]; ok {
		if s.MO != 0 {
			no("1/2/0x04")
		}
		if !s.Last {
			no("0/2/0x06", "0/0/0x00")
		}
		if n := len(s.Payload); n != size.bytes {
			no(size.wrong(n)...)
		}
	} else if uint64(s.MO)+uint64(len(s.Payload)) > 1<<32-1 {
		no("1/2/0x05")
	}
	return s, wrong
}

// queues are those of the untagged messages.
var queues = map[byte]uint32{
	Send: 0, SendInv: 0, SendSE: 0, SendSEInv: 0, Immediate: 0, ImmediateSE: 0,
	ReadRequest: 1, AtomicRequest: 1, AtomicResponse: 3,
}

// sizes are the payload sizes of messages that have only one.
var sizes = map[byte]struct {
	bytes int
	wrong func(n int) []string
}{
	ReadRequest: {28, func(n int) []string {
		if n > 28 {
			return []string{"1/2/0x05"}
		}
		return []string{"0/0/0x00", Close}
	}},
	Immediate:      {8, func(int) []string { return []string{"1/2/0x05", "0/2/0x06"} }},
	ImmediateSE:    {8, func(int) []string { return []string{"1/2/0x05", "0/2/0x06"} }},
	AtomicRequest:  {52, func(int) []string { return []string{"0/2/0x06"} }},
	AtomicResponse: {12, func(int) []string { return []string{"0/2/0x06"} }},
}
