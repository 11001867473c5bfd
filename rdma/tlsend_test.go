package rdma_test

import (
	"crypto/tls"
	"net"
	"testing"
	"time"

	iw "github.com/godapl/godapl/internal/iwarp"
	"github.com/godapl/godapl/internal/tlstest"
	"github.com/godapl/godapl/rdma"
)

// gathering holds what is written while hold is set.
type gathering struct {
	net.Conn
	hold bool
	b    []byte
}

func (g *gathering) Write(p []byte) (int, error) {
	if g.hold {
		g.b = append(g.b, p...)
		return len(p), nil
	}
	return g.Conn.Write(p)
}

// SetWriteDeadline does nothing: crypto/tls forbids writes after its alert.
func (g *gathering) SetWriteDeadline(time.Time) error { return nil }

// emptyWrite is a frame that places nothing.
func emptyWrite() []byte {
	return iw.AppendTagged(nil, iw.TaggedHeader{Op: iw.OpWrite, Last: true, STag: 77}, nil, true)
}

// handmadePeer connects to a listener with frames made by hand.
func handmadePeer(t *testing.T, a *tlstest.Authority, address string) (*gathering, *tls.Conn) {
	t.Helper()
	raw, err := net.Dial("tcp", address)
	must(t, err)
	t.Cleanup(func() { raw.Close() })
	g := &gathering{Conn: raw}
	config := a.Config("peer.test")
	config.NextProtos, config.ServerName = []string{"iwarp"}, "peer.test"
	c := tls.Client(g, config)
	b, err := iw.AppendRequest(nil, &iw.Frame{
		Revision: iw.Revision2, CRC: true, Enhanced: true, PeerToPeer: true, RTR: iw.RTRWrite, IRD: 1, ORD: 1,
	})
	must(t, err)
	_, err = c.Write(b)
	must(t, err)
	_, err = c.Read(make([]byte, 4096))
	must(t, err)
	_, err = c.Write(emptyWrite())
	must(t, err)
	return g, c
}

// TestTLSEndWithTheLastBytes: the alert that ends the stream is noticed, though no event follows the bytes that it
// came with.
func TestTLSEndWithTheLastBytes(t *testing.T) {
	authority := tlstest.NewAuthority()
	server, _ := openTLS(t, "soft-tcp", rdma.OpenConfig{TLS: authority.Config("peer.test")})
	ln, _, conns := accepting(t, server)
	for _, frames := range []int{0, 1, 2} {
		g, c := handmadePeer(t, authority, ln.Addr().String())
		conn := <-conns
		g.hold = true
		for range frames {
			_, err := c.Write(emptyWrite())
			must(t, err)
		}
		must(t, c.CloseWrite())
		_, err := g.Conn.Write(g.b) // and the stream stays open
		must(t, err)
		select {
		case <-conn.Context().Done():
		case <-within(t).Done():
			t.Fatalf("behind %d frames, the end is not noticed", frames)
		}
	}
}
