package stream_test

import (
	"context"
	"crypto/tls"
	"net"
	"testing"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft"
	"github.com/godapl/godapl/internal/hca/soft/softtest"
	"github.com/godapl/godapl/internal/iwarp"
	"github.com/godapl/godapl/internal/tlstest"
)

// TestRetryWithTLS: a peer with TLS that closes without an answer knows revision 2, and has too many other streams. With
// revision 1 the connection would lack the extensions.
func TestRetryWithTLS(t *testing.T) {
	certified := tlstest.NewAuthority().Config("peer.test")
	certified.ServerName = "peer.test"
	l := softtest.NewLone(t, soft.Driver("tcp"), hca.Options{TLS: certified}, hca.QPConfig{})
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	result := make(chan error, 1)
	go func() { result <- l.QP.Connect(context.Background(), ln.Addr().String(), hca.ConnParams{}) }()
	server := certified.Clone()
	server.NextProtos = []string{"iwarp"}
	// take accepts a stream and reads its request.
	take := func() (conn net.Conn, request iwarp.Frame) {
		conn, err := ln.Accept()
		if err != nil {
			t.Fatal(err)
		}
		conn = tls.Server(conn, server)
		b := make([]byte, iwarp.MaxFrameLen)
		n, err := conn.Read(b)
		if used, _, perr := iwarp.ParseRequest(b[:n], &request); used == 0 {
			t.Fatalf("no request came: %v, %v", err, perr)
		}
		return conn, request
	}
	first, _ := take()
	_ = first.Close()
	second, request := take()
	defer second.Close()
	if request.Revision != iwarp.Revision2 || !request.Enhanced {
		t.Errorf("the second request is %+v", request)
	}
	theirs := softtest.Theirs
	if theirs.Revision = request.Revision; !request.Enhanced {
		theirs = iwarp.Frame{Revision: request.Revision, CRC: true}
	}
	reply, _ := iwarp.AppendReply(nil, &theirs)
	if _, err := second.Write(reply); err != nil {
		t.Fatal(err)
	}
	if err := <-result; err != nil {
		t.Fatal(err)
	}
	if ev := <-l.Events; ev.Info == nil || ev.Info.Caps&hca.CapAtomics == 0 {
		t.Errorf("established with %+v, want a connection with atomics", ev.Info)
	}
}
