package stream

import (
	"context"
	"net"

	"github.com/godapl/godapl/internal/hca/park"
	"github.com/godapl/godapl/internal/hca/soft/stream/secure"
	"github.com/godapl/godapl/internal/hca/soft/stream/wire"
)

// secureWire is a non-blocking socket with TLS. It differs from the socket in one respect: bytes may be here of
// which no event of the socket will tell.
type secureWire struct {
	*socketWire
	s *secure.Stream
}

// newSecureWire is newWire for a stream with TLS.
func (c *Conn) newSecureWire(s *secure.Stream) (wire.Wire, error) {
	switch s.Conn().(type) {
	case *net.TCPConn, *net.UnixConn:
	default:
		return wire.NewPump(s, c.a.Attrs.Name, c.Schedule), nil
	}
	under, err := c.newWire(s.Conn())
	if err != nil {
		return nil, err
	}
	w := &secureWire{under.(*socketWire), s}
	s.Detach(w.socketWire)
	return w, nil
}

func (w *secureWire) Read(p []byte) (int, error)       { return w.s.ReadNow(p) }
func (w *secureWire) Write(list [][]byte) (int, error) { return w.s.WriteNow(list) }
func (w *secureWire) Partial() (at int64, yes bool)    { return w.s.Partial() }
func (w *secureWire) Armed() bool                      { return !w.s.Left() && w.socketWire.Armed() }

func (w *secureWire) Arm(rx, tx bool) {
	if rx && w.s.Left() {
		w.c.Schedule()
	}
	w.socketWire.Arm(rx, tx)
}

// park implements parkable.
func (w *secureWire) park(p *park.Park) (fd int) {
	if w.s.Left() {
		w.c.Schedule()
		return -1
	}
	return w.socketWire.park(p)
}

func (w *secureWire) Release(ctx context.Context) (net.Conn, error) {
	conn, err := w.socketWire.Release(ctx)
	if err != nil {
		return nil, err
	}
	w.s.Attach(conn)
	return w.s, nil
}
