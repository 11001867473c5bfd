// Command snapshot reads a record from a peer's memory while the peer changes it.
//
// RDMA reads are not atomic: a read that overlaps a write can return old and new bytes
// mixed. So the owner stores a checksum with the record, and the reader tries again
// until the checksum fits. The owner runs no code for a read and takes no lock.
//
//	go run ./examples/snapshot
package main

import (
	"context"
	"fmt"
	"log"
	"sync/atomic"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mem"
)

func main() {
	if err := run(context.Background(), "soft", 1000); err != nil {
		log.Fatal(err)
	}
}

// run reads a record many times while its owner changes it.
func run(ctx context.Context, name string, reads int) error {
	adapter, err := rdma.Open(ctx, name, rdma.OpenConfig{})
	if err != nil {
		return err
	}
	defer adapter.Close()
	zone, err := adapter.NewZone()
	if err != nil {
		return err
	}
	ln, err := adapter.Listen(ctx, "127.0.0.1:0", rdma.ListenConfig{})
	if err != nil {
		return err
	}
	defer ln.Close()
	record, err := zone.Alloc(recordSize, mem.LocalRead|mem.RemoteRead)
	if err != nil {
		return err
	}
	copy(record.Bytes(), firstRecord())
	var stop atomic.Bool
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		own(record.Bytes(), &stop)
	}()
	defer func() { stop.Store(true); <-ended }()
	place, err := record.Slice(0, recordSize).Remote().MarshalBinary()
	if err != nil {
		return err
	}
	go func() {
		for request := range ln.Requests() {
			if _, err := request.Accept(ctx, rdma.EndpointConfig{Zone: zone, Private: place}); err != nil {
				log.Print(err)
			}
		}
	}()
	return watch(ctx, zone, ln.Addr().String(), reads)
}

// watch reads the record, and counts the reads that had to be repeated.
func watch(ctx context.Context, zone *rdma.Zone, address string, reads int) error {
	conn, err := zone.Adapter().Dial(ctx, address, rdma.EndpointConfig{Zone: zone})
	if err != nil {
		return err
	}
	defer conn.Close()
	var remote mem.Remote
	if err := remote.UnmarshalBinary(conn.PrivateData()); err != nil {
		return err
	}
	buffer, err := zone.Alloc(recordSize, mem.LocalWrite)
	if err != nil {
		return err
	}
	var last uint64
	torn := 0
	for range reads {
		version, data, again, err := snapshot(ctx, conn, buffer, remote)
		if err != nil {
			return err
		}
		if err := check(version, data, last); err != nil {
			return err
		}
		last, torn = version, torn+again
	}
	fmt.Printf("%d reads, all whole; %d were torn and repeated\n", reads, torn)
	return nil
}
