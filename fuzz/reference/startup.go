package reference

// Keys of the start-up frames (RFC 5044, 7.1).
const (
	RequestKey = "MPA ID Req Frame"
	ReplyKey   = "MPA ID Rep Frame"
)

// Frame is a decoded start-up frame. The second line is of enhanced frames (RFC 6581,
// 9).
type Frame struct {
	Revision                       byte
	Markers, CRC, Reject, Enhanced bool
	PeerToPeer, ReadySend          bool
	ReadyWrite, ReadyRead          bool
	IRD, ORD                       int
	Private                        string
}

// Verdict is the reaction to a start-up frame.
type Verdict int

const (
	More Verdict = iota // it is not all there
	Accept
	Closed   // the stream, without an answer
	Rejected // with an answer
)

// StartUp reads a start-up frame of n bytes.
func StartUp(b []byte, key string) (f Frame, n int, v Verdict) {
	for i := range min(len(b), len(key)) {
		if b[i] != key[i] {
			return f, 0, Closed
		}
	}
	if len(b) < 20 {
		return f, 0, More
	}
	size := int(b[18])<<8 | int(b[19])
	if b[17] != 1 && b[17] != 2 || size > 512 {
		return f, 0, Closed
	}
	if n = 20 + size; len(b) < n {
		return f, 0, More
	}
	f = Frame{Revision: b[17], Markers: b[16]&0x80 != 0, CRC: b[16]&0x40 != 0, Private: string(b[20:n])}
	f.Reject = b[16]&0x20 != 0 && key == ReplyKey
	if f.Enhanced = b[17] == 2 && b[16]&0x10 != 0; !f.Enhanced {
		return f, n, Accept
	}
	if size < 4 {
		if key == RequestKey {
			return f, 0, Rejected
		}
		return f, 0, Closed
	}
	i, o := int(b[20])<<8|int(b[21]), int(b[22])<<8|int(b[23])
	f.PeerToPeer, f.ReadySend, f.IRD = i&0x8000 != 0, i&0x4000 != 0, i&0x3fff
	f.ReadyWrite, f.ReadyRead, f.ORD = o&0x8000 != 0, o&0x4000 != 0, o&0x3fff
	f.Private = f.Private[4:]
	return f, n, Accept
}
