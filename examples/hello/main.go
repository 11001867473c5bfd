// Command hello reads a line of text from memory that a peer lends.
package main

import (
	"context"
	"fmt"
	"log"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mem"
)

func main() {
	ctx := context.Background()
	adapter := must(rdma.Open(ctx, "soft", rdma.OpenConfig{})) // no hardware needed
	defer adapter.Close()
	zone := must(adapter.NewZone()) // memory and connections that belong together

	// The owner lends a page for reading, and tells each peer where it is.
	page := must(zone.Alloc(4096, mem.LocalRead|mem.RemoteRead))
	n := copy(page.Bytes(), "hello from afar")
	place := must(page.Slice(0, n).Remote().MarshalBinary())
	ln := must(adapter.Listen(ctx, "127.0.0.1:0", rdma.ListenConfig{}))
	go func() {
		for request := range ln.Requests() {
			must(request.Accept(ctx, rdma.EndpointConfig{Zone: zone, Private: place}))
		}
	}()

	// The reader reads the page. The owner's program runs no code for that.
	conn := must(adapter.Dial(ctx, ln.Addr().String(), rdma.EndpointConfig{Zone: zone}))
	var remote mem.Remote
	if err := remote.UnmarshalBinary(conn.PrivateData()); err != nil {
		log.Fatal(err)
	}
	buffer := must(zone.Alloc(4096, mem.LocalWrite))
	read := must(conn.Read(ctx, buffer.Slice(0, int(remote.Length)), remote))
	fmt.Printf("%s\n", buffer.Bytes()[:read])
}

func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}
