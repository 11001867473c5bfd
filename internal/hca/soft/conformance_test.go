package soft_test

import (
	"context"
	"net"
	"testing"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/hcatest"
	"github.com/godapl/godapl/internal/hca/soft"
)

func TestConformance(t *testing.T) {
	for _, d := range []hca.Driver{
		soft.Driver("loop"), soft.Driver("tcp"), soft.Driver(""),
		soft.FabricDriver("fabric", plain{}),
	} {
		name := d.Names()[0]
		t.Run(name, func(t *testing.T) {
			h := hcatest.Harness{
				Name: name,
				Open: func(t hcatest.TB, opt hca.Options) hca.Adapter {
					a, err := d.Open(context.Background(), name, opt)
					if err != nil {
						t.Fatalf("open: %v", err)
					}
					return a
				},
				LateCompletions: name == "fabric",

				CountsWaits:   true,
				NoAllocations: name != "fabric", // a program's streams may allocate
			}
			if name == "fabric" {
				h.ListenAddress = func(hca.Adapter) string { return "127.0.0.1:0" }
			}
			hcatest.Run(t, h)
		})
	}
}

// plain is a fabric whose streams are not recognized as sockets, so that they take the way that works on all
// systems.
type plain struct{}

type stream struct{ net.Conn }

func (s stream) CloseWrite() error { return s.Conn.(*net.TCPConn).CloseWrite() }

func (plain) Dial(ctx context.Context, address string) (net.Conn, error) {
	var d net.Dialer
	c, err := d.DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, err
	}
	return stream{c}, nil
}

func (plain) Listen(_ context.Context, address string) (net.Listener, error) {
	l, err := net.Listen("tcp", address)
	return streams{l}, err
}

type streams struct{ net.Listener }

func (l streams) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return stream{c}, nil
}
