package peers_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"testing"
	"time"

	"github.com/godapl/godapl/internal/iwarp"
)

// A peer is the other end of a connection, played by a test.
type peer struct {
	t    testing.TB
	conn *net.TCPConn
	in   []byte // read and not yet taken

	nocrc  bool   // do not check the CRC of what arrives
	marked bool   // it requested markers
	offset uint64 // bytes of FPDUs taken
	taken  int    // of the last one
	silent bool   // this side sends nothing before this peer's first FPDU

	greeted, nudged bool // it has received the greeting; it wants to see repeated ones

	send, request iwarp.MSN // of its next Send and Read Request
}

func newPeer(t testing.TB, conn net.Conn) *peer {
	t.Cleanup(func() { conn.Close() })
	return &peer{t: t, conn: conn.(*net.TCPConn), send: iwarp.FirstMSN, request: iwarp.FirstMSN}
}

// dial opens a stream to a listener.
func dial(t testing.TB, address string) *peer { return dialFrom(t, address, net.Dialer{}) }

func dialFrom(t testing.TB, address string, d net.Dialer) *peer {
	t.Helper()
	d.Timeout = patience
	conn, err := d.DialContext(context.Background(), "tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	return newPeer(t, conn)
}

// A host is where peers wait for this side to connect.
type host struct {
	t  testing.TB
	ln *net.TCPListener
}

func listen(t testing.TB) *host { return listenFrom(t, net.ListenConfig{}) }

func listenFrom(t testing.TB, lc net.ListenConfig) *host {
	t.Helper()
	ln, err := lc.Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ln.Close() })
	return &host{t: t, ln: ln.(*net.TCPListener)}
}

func (h *host) address() string { return h.ln.Addr().String() }

// accept takes the next stream.
func (h *host) accept() *peer {
	h.t.Helper()
	_ = h.ln.SetDeadline(time.Now().Add(patience))
	conn, err := h.ln.Accept()
	if err != nil {
		h.t.Fatal(err)
	}
	return newPeer(h.t, conn)
}

// write sends bytes unchanged. This side may have closed already, which is no error: the reaction will tell.
func (p *peer) write(b ...[]byte) {
	_ = p.conn.SetWriteDeadline(time.Now().Add(patience))
	_, _ = p.conn.Write(bytes.Join(b, nil))
}

// fin ends this side of the stream, reset all of it.
func (p *peer) fin() { _ = p.conn.CloseWrite() }

func (p *peer) reset() {
	_ = p.conn.SetLinger(0)
	_ = p.conn.Close()
}

// more reads what there is, and waits for at least one byte.
func (p *peer) more(wait time.Duration) error {
	_ = p.conn.SetReadDeadline(time.Now().Add(wait))
	var buf [64 << 10]byte
	n, err := p.conn.Read(buf[:])
	p.in = append(p.in, buf[:n]...)
	if n > 0 {
		return nil
	}
	return err
}

// has reports whether an FPDU has arrived, or a part of one, that next would return. It reads nothing.
func (p *peer) has() bool {
	for {
		var s iwarp.Segment
		ulpdu, used, _, err := iwarp.ParseFPDU(p.in, !p.nocrc)
		if err != nil || used == 0 {
			return len(p.in) > 0
		}
		if iwarp.ParseSegment(ulpdu, &s) != nil || !p.repeats(&s) {
			return true
		}
		p.in = p.in[used:]
	}
}

// repeats reports whether it is a greeting that is repeated because the peer is silent.
func (p *peer) repeats(s *iwarp.Segment) bool {
	return s.Op == iwarp.OpWrite && s.Len == 0 && s.TO == greetingTO && p.greeted && !p.nudged
}

// next takes the next FPDU. io.EOF is an end between FPDUs.
func (p *peer) next() (iwarp.Segment, error) { return p.nextWithin(patience) }

func (p *peer) nextWithin(wait time.Duration) (s iwarp.Segment, err error) {
	for {
		var ulpdu []byte
		var used int
		if p.marked {
			ulpdu, used, _, err = iwarp.ParseMarked(nil, p.in, p.offset, !p.nocrc)
		} else {
			ulpdu, used, _, err = iwarp.ParseFPDU(p.in, !p.nocrc)
		}
		if err == nil && used > 0 {
			err = iwarp.ParseSegment(bytes.Clone(ulpdu), &s)
		}
		if err != nil {
			return s, fmt.Errorf("ours sent no FPDU: %w: % x", err, p.in[:min(len(p.in), 64)])
		}
		if used > 0 {
			p.in = p.in[used:]
			p.offset += uint64(used)
			p.taken = used
			if p.repeats(&s) {
				continue
			}
			p.greeted = p.greeted || s.Op == iwarp.OpWrite && s.Len == 0 && s.TO == greetingTO
			return s, nil
		}
		if err := p.more(wait); err != nil {
			if errors.Is(err, io.EOF) && len(p.in) > 0 {
				err = io.ErrUnexpectedEOF
			}
			return s, err
		}
	}
}

// want takes the next FPDU, which must have this opcode.
func (p *peer) want(op iwarp.Opcode) iwarp.Segment {
	p.t.Helper()
	s, err := p.next()
	if err != nil || s.Op != op {
		p.t.Fatalf("got %v, %v, want %v", s.Op, err, op)
	}
	return s
}
