package rsocket_test

import (
	"errors"
	"io"
	"net"
	"os"
	"testing"
	"time"

	"github.com/godapl/godapl/rdma/rsocket"
)

// stuck is a reader and a writer that stands in its call until the test ends it.
type stuck struct{ in, out chan struct{} }

func newStuck() *stuck { return &stuck{make(chan struct{}), make(chan struct{})} }

func (s *stuck) Read([]byte) (int, error)    { close(s.in); <-s.out; return 0, io.EOF }
func (s *stuck) Write(p []byte) (int, error) { close(s.in); <-s.out; return len(p), nil }

// TestCloseBesideCopy: a copy stands in the other side of a proxy. Calls that wait for its turn end with their deadline
// and with Close, and Close does not wait for it.
func TestCloseBesideCopy(t *testing.T) {
	directions := map[string]struct {
		copy     func(c *rsocket.Conn, s *stuck) error
		call     func(c *rsocket.Conn) error
		deadline func(c *rsocket.Conn, at time.Time) error
	}{
		"ReadFrom": {
			func(c *rsocket.Conn, s *stuck) error { _, err := c.ReadFrom(s); return err },
			func(c *rsocket.Conn) error { _, err := c.Write([]byte("x")); return err },
			(*rsocket.Conn).SetWriteDeadline,
		},
		"WriteTo": {
			func(c *rsocket.Conn, s *stuck) error { _, err := c.WriteTo(s); return err },
			func(c *rsocket.Conn) error { _, err := c.Read(make([]byte, 1)); return err },
			(*rsocket.Conn).SetReadDeadline,
		},
	}
	for name, d := range directions {
		t.Run(name, func(t *testing.T) {
			onEveryPath(t, func(t *testing.T, name string) {
				peer, c := pair(t, open(t, name), rsocket.Config{})
				for _, x := range [][2]net.Conn{{peer, c}, {c, peer}} {
					_, err := x[0].Write([]byte("x"))
					must(t, err)
					_, err = io.ReadFull(x[1], make([]byte, 1))
					must(t, err)
				}
				s, copied := newStuck(), make(chan error)
				go func() { copied <- d.copy(c, s) }()
				_, err := peer.Write([]byte("x"))
				must(t, err)
				<-s.in
				must(t, d.deadline(c, time.Unix(1, 0)))
				if err := d.call(c); !errors.Is(err, os.ErrDeadlineExceeded) {
					t.Errorf("a call behind the copy, with a deadline: %v", err)
				}
				must(t, d.deadline(c, time.Time{}))
				called := make(chan error)
				go func() { called <- d.call(c) }()
				must(t, c.Close())
				if !c.Gone() {
					t.Error("Close has waited for as long as it may")
				}
				if err := <-called; !errors.Is(err, net.ErrClosed) {
					t.Errorf("a call behind the copy, and Close: %v", err)
				}
				if err := d.call(c); !errors.Is(err, net.ErrClosed) {
					t.Errorf("a call behind Close: %v", err)
				}
				close(s.out)
				if err := <-copied; !errors.Is(err, net.ErrClosed) && err != nil {
					t.Errorf("the copy: %v", err)
				}
				_ = peer.Close()
			})
		})
	}
}
