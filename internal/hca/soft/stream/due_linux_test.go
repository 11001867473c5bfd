package stream_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"io"
	"net"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft"
	"github.com/godapl/godapl/internal/hca/soft/softtest"
	"github.com/godapl/godapl/internal/hca/soft/stream"
	"github.com/godapl/godapl/internal/iwarp"
	"github.com/godapl/godapl/internal/tlstest"
)

// A halver sends half of what is written, and the rest later.
type halver struct {
	net.Conn
	halves bool
	rest   []byte
}

func (h *halver) Write(b []byte) (int, error) {
	if h.halves {
		h.rest = bytes.Clone(b[len(b)/2:])
		_, err := h.Conn.Write(b[:len(b)/2])
		return len(b), err
	}
	return h.Conn.Write(b)
}

// dues is an accept of a peer that this test plays.
type dues struct {
	a      hca.Adapter
	peer   net.Conn // behind the reply
	below  *halver  // without TLS
	due    chan int // how many accepts are due when this one is reported
	result chan error
}

func newDues(t *testing.T, opt hca.Options) *dues {
	t.Helper()
	d := &dues{due: make(chan int, 4), result: make(chan error, 1)}
	l := softtest.NewLone(t, soft.Driver("tcp"), opt, hca.QPConfig{})
	d.a = l.A
	qp, err := d.a.NewQP(hca.QPConfig{PD: l.PD, SendCQ: l.CQ, RecvCQ: l.CQ, SendDepth: 1, RecvDepth: 1, Event: func(hca.ConnEvent) { d.due <- stream.Due(d.a) }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = qp.Close() })
	ln, err := d.a.Listen(context.Background(), hca.ListenConfig{Address: "127.0.0.1:0", OnRequest: func(r hca.ConnRequest) bool {
		go func() { d.result <- r.Accept(context.Background(), qp, hca.ConnParams{}) }()
		return true
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ln.Close() })
	conn, err := net.Dial("tcp", ln.Addr())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	d.below = &halver{Conn: conn}
	if d.peer = d.below; opt.TLS != nil {
		d.peer = tls.Client(d.below, opt.TLS)
	}
	request, _ := iwarp.AppendRequest(nil, &iwarp.Frame{Revision: iwarp.Revision2, CRC: true, Enhanced: true, PeerToPeer: true, RTR: iwarp.RTRWrite})
	if _, err := d.peer.Write(request); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(d.peer, make([]byte, iwarp.FrameHeaderSize+4)); err != nil {
		t.Fatal(err)
	}
	return d
}

// until waits until that many accepts are due.
func (d *dues) until(n int) {
	for stream.Due(d.a) != n {
		runtime.Gosched()
	}
}

// TestAnAcceptIsDue: the end of another connection waits for an accept whose peer has sent its first frame, and for none
// whose peer has sent a part of it, or of a record of TLS.
func TestAnAcceptIsDue(t *testing.T) {
	certified := tlstest.NewAuthority().Config("peer.test")
	certified.ServerName, certified.NextProtos = "peer.test", []string{"iwarp"}
	for name, opt := range map[string]hca.Options{
		"plain":        {},
		"captured":     {Capture: &hca.Capture{Path: filepath.Join(t.TempDir(), "capture")}},
		"TLS":          {TLS: certified},
		"captured TLS": {TLS: certified, Capture: &hca.Capture{Path: filepath.Join(t.TempDir(), "capture")}},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDues(t, opt)
			d.until(0)
			frame := softtest.Nothing()
			if _, err := d.peer.Write(frame[:7]); err != nil {
				t.Fatal(err)
			}
			d.until(0)
			d.below.halves = true
			if _, err := d.peer.Write(frame[7:]); err != nil {
				t.Fatal(err)
			}
			d.until(0)
			if _, err := d.below.Conn.Write(d.below.rest); err != nil {
				t.Fatal(err)
			}
			if err := <-d.result; err != nil {
				t.Fatal(err)
			}
			if n := <-d.due; n != 1 {
				t.Errorf("%d accepts are due whose peers have sent their first frames, want 1", n)
			}
		})
	}
}
