package rdma_test

import (
	"context"
	"fmt"

	"github.com/godapl/godapl/internal/tlstest"
	"github.com/godapl/godapl/rdma"
)

// Both sides have a certificate of one authority. The listener decides by the name in the peer's.
func ExampleOpenConfig_tls() {
	ctx := context.Background()
	authority := tlstest.NewAuthority() // yours signs with its own tools

	// A configuration has Certificates and RootCAs, as for any server and client of crypto/tls.
	server, err := rdma.Open(ctx, "soft-tcp", rdma.OpenConfig{TLS: authority.Config("storage.example")})
	check(err)
	defer server.Close()
	zone, err := server.NewZone()
	check(err)
	ln, err := server.Listen(ctx, "localhost:0", rdma.ListenConfig{})
	check(err)
	go func() {
		for request := range ln.Requests() {
			if request.PeerCertificate().Subject.CommonName != "worker-7.example" {
				request.Reject(nil)
				continue
			}
			_, err := request.Accept(ctx, rdma.EndpointConfig{Zone: zone})
			check(err)
		}
	}()

	config := authority.Config("worker-7.example")
	config.ServerName = "storage.example" // otherwise the host of the address
	client, err := rdma.Open(ctx, "soft-tcp", rdma.OpenConfig{TLS: config})
	check(err)
	defer client.Close()
	own, err := client.NewZone()
	check(err)
	conn, err := client.Dial(ctx, ln.Addr().String(), rdma.EndpointConfig{Zone: own})
	check(err)
	fmt.Println(conn.PeerCertificate().Subject.CommonName, conn.Path())
	// Output: storage.example tcp
}
