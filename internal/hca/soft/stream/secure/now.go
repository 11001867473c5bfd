package secure

import (
	"net"
	"sync"
	"sync/atomic"

	"github.com/godapl/godapl/internal/hca/soft/stream/wire"
)

// leftFlag is read by goroutines that do not read the stream.
type leftFlag struct{ v atomic.Bool }

func (f *leftFlag) set(yes bool) {
	if f.v.Load() != yes {
		f.v.Store(yes)
	}
}

// Conn is the stream below, as the program's fabric or the system made it; nil while it is a socket.
func (s *Stream) Conn() net.Conn {
	if conn := s.carrier.conn.Load(); conn != nil {
		return *conn
	}
	return nil
}

// Detach continues over a socket, which does not block. The caller has taken the socket out of Conn, and owns it.
func (s *Stream) Detach(socket Socket) {
	s.carrier.socket = socket
	s.carrier.conn.Store(nil)
	s.left.set(true)
}

// Attach undoes Detach: the stream blocks again, over conn.
func (s *Stream) Attach(conn net.Conn) { s.carrier.conn.Store(&conn) }

// Left reports that bytes may be here that no event of the socket will tell of.
func (s *Stream) Left() bool { return s.left.v.Load() }

// Partial reports whether part of a record has arrived, and its position among the bytes that were handed to
// crypto/tls. It belongs to the reading side.
func (s *Stream) Partial() (at int64, yes bool) {
	c := &s.carrier
	return c.handed, !c.whole() && (c.rest > 0 || c.in != nil && c.r < c.w)
}

// One ReadNow ends after this number of records, or about this number of bytes as they are sent: a peer may put
// each byte into a record of its own, and other connections are to run meanwhile.
const (
	readsMost = 256
	readMost  = 1 << 20
)

// ReadNow fills p with bytes that have arrived, or returns wire.ErrAgain. Left then tells whether to call it again
// without waiting for an event: the end of the stream is read together with the bytes before it, and no event
// follows. Nor does one follow what is left after much work. io.EOF is the peer's closing alert; a stream that ends without one is an error.
func (s *Stream) ReadNow(p []byte) (n int, err error) {
	c := &s.carrier
	c.dry = false
	work, most := c.handed, false
	for reads := 0; n < len(p) && s.ended == nil; {
		if !s.full && !c.whole() {
			if !c.fill() {
				break
			}
			continue
		}
		if most = reads == readsMost || c.handed-work >= readMost; most {
			break
		}
		reads++
		k, err := s.tls.Read(p[n:])
		n += k
		s.full = k == len(p)-(n-k)
		if err != nil && err != errAgain {
			s.ended = err
		}
	}
	c.release()
	s.left.set(most || n == len(p) || n > 0 && (s.ended != nil || c.end != nil))
	switch {
	case n > 0:
		return n, nil
	case s.ended != nil:
		return 0, s.ended
	case c.end != nil:
		return 0, c.end
	}
	return 0, wire.ErrAgain
}

var plaintexts = sync.Pool{New: func() any { return new([maxRecord]byte) }}

// WriteNow encrypts and sends as many bytes of the list as the socket accepts, in records as large as possible.
//
// Records that the socket does not take are kept, and one byte fewer than encrypted is reported: so the caller
// comes back, with that byte first, when the socket accepts bytes again. The next calls send the rest before
// anything else.
func (s *Stream) WriteNow(list [][]byte) (int, error) {
	if all, err := s.carrier.flush(false); err != nil || !all {
		if err == nil {
			err = wire.ErrAgain
		}
		return 0, err
	}
	total := 0
	for _, b := range list {
		total += len(b)
	}
	w := recordWriter{s: s, left: total}
	if s.owed && total > 0 {
		s.owed = false
		w.done, w.skip = 1, 1
		w.left--
	}
	w.write(list)
	switch {
	case w.err != nil:
		return 0, w.err
	case w.blocked:
		s.owed = true
		w.done--
	}
	if w.done == 0 && total > 0 {
		return 0, wire.ErrAgain
	}
	return w.done, nil
}

// recordWriter cuts a list into records.
type recordWriter struct {
	s       *Stream
	skip    int // bytes of the list that are encrypted already
	done    int // encrypted, including these
	left    int // not encrypted
	blocked bool
	err     error
}

func (w *recordWriter) write(list [][]byte) {
	var buf *[maxRecord]byte
	n := 0 // bytes in buf
	for _, b := range list {
		if w.skip >= len(b) {
			w.skip -= len(b)
			continue
		}
		b = b[w.skip:]
		w.skip = 0
		for len(b) > 0 {
			if n == 0 && (len(b) >= maxRecord || len(b) == w.left) {
				k := min(len(b), maxRecord)
				if !w.record(b[:k]) {
					break
				}
				b = b[k:]
				continue
			}
			if buf == nil {
				buf = plaintexts.Get().(*[maxRecord]byte)
			}
			k := copy(buf[n:], b)
			n += k
			b = b[k:]
			if n == maxRecord || n == w.left {
				if !w.record(buf[:n]) {
					break
				}
				n = 0
			}
		}
		if w.blocked || w.err != nil {
			break
		}
	}
	if buf != nil {
		plaintexts.Put(buf)
	}
}

// record encrypts one record, and sends it if it is the last or if there are enough. It returns false if the
// socket accepts no more, or on an error.
func (w *recordWriter) record(b []byte) bool {
	c := &w.s.carrier
	w.left -= len(b)
	if w.left > 0 {
		c.more.Store(true)
		defer c.more.Store(false)
	}
	_, w.err = w.s.tls.Write(b)
	if w.err != nil {
		return false
	}
	w.done += len(b)
	all, err := c.flush(w.left > 0)
	w.err, w.blocked = err, !all
	return all && err == nil
}
