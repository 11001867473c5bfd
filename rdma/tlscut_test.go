package rdma_test

import (
	"context"
	"net"
	"testing"
	"time"

	iw "github.com/godapl/godapl/internal/iwarp"
	"github.com/godapl/godapl/internal/tlstest"
	"github.com/godapl/godapl/rdma"
)

// TestTLSCutWhileAMessageWaits: a stream that is cut breaks the connection at once, also while it reads nothing because
// a message waits for a receive.
func TestTLSCutWhileAMessageWaits(t *testing.T) {
	authority := tlstest.NewAuthority()
	server, _ := openTLS(t, "soft-tcp", rdma.OpenConfig{TLS: authority.Config("peer.test"), ReceiveWait: time.Hour})
	ln, _, conns := accepting(t, server)
	g, c := handmadePeer(t, authority, ln.Addr().String())
	conn := <-conns
	_, err := c.Write(iw.AppendUntagged(nil, iw.UntaggedHeader{Op: iw.OpSend, Last: true, MSN: 1}, []byte("hello"), true))
	must(t, err)
	must(t, g.Conn.(*net.TCPConn).CloseWrite())
	select {
	case <-conn.Context().Done():
	case <-within(t).Done():
		t.Fatal("the cut is not noticed")
	}
	wantCode(t, context.Cause(conn.Context()), rdma.ErrBroken, "cut")
}
