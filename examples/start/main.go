// Command start lends a line of text to other machines, and reads it there.
//
//	start lend :7471
//	start read HOST:7471
package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mem"
)

func main() {
	if len(os.Args) != 3 || os.Args[1] != "lend" && os.Args[1] != "read" {
		log.Fatal("usage: start lend :PORT, or start read HOST:PORT")
	}
	ctx := context.Background()
	adapter := must(rdma.Open(ctx, "soft", rdma.OpenConfig{})) // or an RDMA device: "mlx5_0"
	defer adapter.Close()
	zone := must(adapter.NewZone())
	if os.Args[1] == "lend" {
		lend(ctx, zone, must(adapter.Listen(ctx, os.Args[2], rdma.ListenConfig{})))
	} else {
		fmt.Println(read(ctx, zone, os.Args[2]))
	}
}

// lend gives every peer that connects a page to read.
func lend(ctx context.Context, zone *rdma.Zone, ln *rdma.Listener) {
	page := must(zone.Alloc(4096, mem.LocalRead|mem.RemoteRead))
	n := copy(page.Bytes(), "hello from process "+fmt.Sprint(os.Getpid()))
	place := must(page.Slice(0, n).Remote().MarshalBinary())
	for request := range ln.Requests() {
		conn, err := request.Accept(ctx, rdma.EndpointConfig{Zone: zone, Private: place})
		if err != nil {
			log.Print(err) // this peer has given up; the next one may not
			continue
		}
		log.Printf("connected: %v over %s", request.RemoteAddr(), conn.Path())
		context.AfterFunc(conn.Context(), func() { conn.Close() })
	}
}

// read reads the text from the peer's memory.
func read(ctx context.Context, zone *rdma.Zone, address string) string {
	conn := must(zone.Adapter().Dial(ctx, address, rdma.EndpointConfig{Zone: zone}))
	var remote mem.Remote
	if err := remote.UnmarshalBinary(conn.PrivateData()); err != nil {
		log.Fatal(err)
	}
	buffer := must(zone.Alloc(4096, mem.LocalWrite))
	n := must(conn.Read(ctx, buffer.Slice(0, int(remote.Length)), remote))
	text := fmt.Sprintf("%s, over %s", buffer.Bytes()[:n], conn.Path())
	if err := conn.Shutdown(ctx); err != nil { // an orderly end
		log.Print(err)
	}
	return text
}

func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}
