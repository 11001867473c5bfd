package stream

import (
	"sync"

	"github.com/godapl/godapl/internal/iwarp"
)

// rxBuffer holds several of the largest FPDUs, so that one system call reads many: a whole group of the sender,
// and the rest of the one before.
const rxBuffer = 512 << 10

var rxBuffers = sync.Pool{New: func() any { return new([rxBuffer]byte) }}

// An incoming holds bytes that a connection has read and not handled. It reads into one of the large buffers
// that all connections share. When nothing more is there, the rest of an incomplete FPDU moves into memory of
// its own, so that a waiting connection holds little. Usually the missing bytes arrive in one piece, and are
// read into a large buffer behind that rest. An FPDU that is put aside repeatedly arrives in many small pieces.
// From then on it is read into its own memory, which grows by half each time: however many pieces arrive, each
// byte is copied only a few times.
type incoming struct {
	buf  []byte          // nil while nothing is held
	big  *[rxBuffer]byte // the array of buf, if that is a large buffer
	r, w int             // the unread bytes are buf[r:w]
	rest []byte          // the unread bytes while there is no buf

	asideAt int64 // position in the stream of the FPDU that was last put aside
	asides  int   // how often it was put aside
}

// leastRest is the initial size of an FPDU's own memory.
const leastRest = 64

// dribbles is how often an FPDU is put aside before it is read into its own memory.
const dribbles = 2

// hold makes sure that there is room to read into.
func (in *incoming) hold() {
	switch {
	case in.buf == nil && len(in.rest) > 0 && in.asides >= dribbles:
		in.buf, in.r, in.w = in.rest[:cap(in.rest)], 0, len(in.rest)
		in.rest = nil
		if in.w == len(in.buf) {
			in.enlarge()
		}
	case in.buf == nil:
		in.enlarge()
	case in.big == nil && (in.r > 0 || in.w == len(in.buf)):
		in.enlarge() // it arrives in larger pieces, or is whole
	case in.r == in.w:
		in.r, in.w = 0, 0
	case in.big != nil && len(in.buf)-in.w < rxBuffer/2:
		in.w = copy(in.buf, in.buf[in.r:in.w])
		in.r = 0
	}
}

// enlarge moves the bytes to a large buffer.
func (in *incoming) enlarge() {
	big := rxBuffers.Get().(*[rxBuffer]byte)
	n := copy(big[:], in.rest)
	n += copy(big[n:], in.buf[in.r:in.w])
	in.forget(in.rest)
	in.forget(in.buf)
	in.buf, in.big, in.r, in.w = big[:], big, 0, n
}

// forget keeps an FPDU's own memory for the next one, if it is small.
func (in *incoming) forget(own []byte) {
	if cap(own) == 0 {
		return
	}
	in.rest = nil
	if cap(own) <= smallRest {
		in.rest = own[:0]
	}
}

// drop releases the buffer and the unread bytes in it.
func (in *incoming) drop() {
	if in.big != nil {
		rxBuffers.Put(in.big)
	} else {
		in.forget(in.buf)
	}
	in.buf, in.big, in.r, in.w = nil, nil, 0, 0
}

// putAside moves the unread bytes into their own memory, and releases the large buffer. at is their position in
// the stream.
func (in *incoming) putAside(at int64) {
	if in.asides++; in.asideAt != at {
		in.asideAt, in.asides = at, 1
	}
	if in.big == nil { // they have their own memory already
		in.rest = in.buf[:copy(in.buf, in.buf[in.r:in.w])]
		in.buf, in.r, in.w = nil, 0, 0
		return
	}
	n := in.w - in.r
	own := in.rest[:0]
	if grown := n + n/2; in.asides >= dribbles && cap(own) < grown {
		own = make([]byte, 0, max(n, min(max(grown, leastRest), iwarp.MaxFPDULen)))
	}
	own = append(own, in.buf[in.r:in.w]...)
	in.drop()
	in.rest = own
}

// dribbling reports whether the FPDU at this position arrives in many small pieces.
func (in *incoming) dribbling(at int64) bool { return in.asideAt == at && in.asides >= dribbles }

// push inserts bytes in front of the unread ones.
func (in *incoming) push(b []byte) {
	if len(b) > 0 {
		in.hold()
		in.w += copy(in.buf[in.w:], b)
	}
}
