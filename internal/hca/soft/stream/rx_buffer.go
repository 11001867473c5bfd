package stream

import (
	"sync"

	"github.com/godapl/godapl/internal/iwarp"
)

// rxBuffer takes several of the largest FPDUs, so that one system call brings
// many: a whole group of the sender's, with what is left of the one before.
const rxBuffer = 512 << 10

var rxBuffers = sync.Pool{New: func() any { return new([rxBuffer]byte) }}

// An incoming is what a connection has read and not handled. It reads into one of the
// large buffers that all connections share. What is left of an FPDU when nothing more is
// there is put aside into memory of its own, so that a connection which waits holds
// little. The rest of an FPDU mostly comes in one piece, and goes into a large buffer
// behind what was put aside. An FPDU that has been put aside before comes bit by bit. It
// is read into its own memory from then on, which grows by half of what is there: however
// many pieces it comes in, each byte is copied a few times only.
type incoming struct {
	buf  []byte          // nil while nothing is held
	big  *[rxBuffer]byte // what buf is, if it is a large one
	r, w int             // unread bytes are buf[r:w]
	rest []byte          // unread bytes while there is no buf

	asideAt int64 // where in the stream the FPDU begins that was last put aside
	asides  int   // how many times it was
}

// leastRest is how large memory of an FPDU's own is at first.
const leastRest = 64

// dribbles is how many times an FPDU is put aside before it is read where it is.
const dribbles = 2

// hold sees to it that there is room to read into.
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
		in.enlarge() // it comes in larger pieces, or is whole
	case in.r == in.w:
		in.r, in.w = 0, 0
	case in.big != nil && len(in.buf)-in.w < rxBuffer/2:
		in.w = copy(in.buf, in.buf[in.r:in.w])
		in.r = 0
	}
}

// enlarge goes on in a large buffer.
func (in *incoming) enlarge() {
	big := rxBuffers.Get().(*[rxBuffer]byte)
	n := copy(big[:], in.rest)
	n += copy(big[n:], in.buf[in.r:in.w])
	in.forget(in.rest)
	in.forget(in.buf)
	in.buf, in.big, in.r, in.w = big[:], big, 0, n
}

// forget keeps memory of an FPDU's own for the next one, if it is small.
func (in *incoming) forget(own []byte) {
	if cap(own) == 0 {
		return
	}
	in.rest = nil
	if cap(own) <= smallRest {
		in.rest = own[:0]
	}
}

// drop gives back what is held, and what is unread with it.
func (in *incoming) drop() {
	if in.big != nil {
		rxBuffers.Put(in.big)
	} else {
		in.forget(in.buf)
	}
	in.buf, in.big, in.r, in.w = nil, nil, 0, 0
}

// putAside keeps the unread bytes in memory of their own, and gives the large buffer
// back. at is where in the stream they begin.
func (in *incoming) putAside(at int64) {
	if in.asides++; in.asideAt != at {
		in.asideAt, in.asides = at, 1
	}
	if in.big == nil { // it has its own already
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

// dribbling tells whether the FPDU that begins there is one that comes bit by bit.
func (in *incoming) dribbling(at int64) bool { return in.asideAt == at && in.asides >= dribbles }

// push puts bytes in front of the stream.
func (in *incoming) push(b []byte) {
	if len(b) > 0 {
		in.hold()
		in.w += copy(in.buf[in.w:], b)
	}
}
