package rdmatest

import "encoding/binary"

// frames follows the frames of one way of a stream: whether its bytes so far end in the middle of one, or of a message.
// First comes a frame of the startup (RFC 5044, section 7.1), then FPDUs (section 4).
type frames struct {
	begun  bool   // the startup is over
	other  bool   // it is no iWARP: TLS, or a test's own bytes
	head   []byte // of the frame that comes
	left   int    // bytes of the frame behind its head
	within bool   // a message has begun, and not its last segment
}

const (
	startupHead = 20
	fpduHead    = 3 // the length, and the first byte of DDP
	lastSegment = 0x40
)

// pass takes the next bytes.
func (f *frames) pass(b []byte) {
	for len(b) > 0 && !f.other {
		if f.left > 0 {
			n := min(f.left, len(b))
			f.left -= n
			b = b[n:]
			continue
		}
		size := fpduHead
		if !f.begun {
			size = startupHead
		}
		n := min(size-len(f.head), len(b))
		f.head = append(f.head, b[:n]...)
		if b = b[n:]; len(f.head) < size {
			return
		}
		f.headed()
	}
}

// headed is a whole head.
func (f *frames) headed() {
	if !f.begun {
		f.begun, f.other = true, f.head[0] != 'M'
		f.left = int(binary.BigEndian.Uint16(f.head[18:]))
	} else {
		n := 2 + int(binary.BigEndian.Uint16(f.head))
		f.left = (n+3)&^3 + 4 - fpduHead
		f.within = f.head[2]&lastSegment == 0
	}
	f.head = f.head[:0]
}

// inside reports whether the bytes end in the middle of a frame or a message.
func (f *frames) inside() bool { return !f.other && (len(f.head) > 0 || f.left > 0 || f.within) }
