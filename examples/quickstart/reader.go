package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"time"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mem"
)

// fetch is the reader's side, from beginning to end.
func fetch(ctx context.Context, out io.Writer, name, listen, file string, start starter) (err error) {
	// 1. An adapter moves the bytes. A connection can use the memory that is
	// registered in its zone.
	adapter, err := rdma.Open(ctx, name, rdma.OpenConfig{})
	if err != nil {
		return err
	}
	defer adapter.Close() // also closes everything that is still open
	zone, err := adapter.NewZone()
	if err != nil {
		return err
	}

	// 2. Listen on a free port, and start the owner, which connects to it. If the
	// owner fails, the context ends with the cause, so that no call waits for it.
	if listen == "" {
		listen = net.JoinHostPort(adapter.Attributes().Address, "0")
	}
	ln, err := adapter.Listen(ctx, listen, rdma.ListenConfig{})
	if err != nil {
		return err
	}
	defer ln.Close()
	owner, ctx, err := start.start(ctx, name, ln.Addr().String(), file)
	if err != nil {
		return err
	}
	defer func() { err = owner.end(err) }() // the owner never outlives this function

	// 3. The private data of the owner's connection request says where in its
	// memory the file is. Accept makes the connection.
	var request *rdma.ConnRequest
	select {
	case request = <-ln.Requests():
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	var there mem.Remote
	if err := there.UnmarshalBinary(request.PrivateData()); err != nil {
		return err
	}
	if there.Length > math.MaxInt { // whoever connects may say so
		return fmt.Errorf("the owner has %d bytes, and no memory has room for that", there.Length)
	}
	conn, err := request.Accept(ctx, rdma.EndpointConfig{Zone: zone})
	if err != nil {
		return err
	}
	defer conn.Close()
	fmt.Fprintf(out, "file       %s, %s\n", file, bytesText(int(there.Length)))
	fmt.Fprintf(out, "path       %s, %s\n", conn.Path(), owner.where)

	// 4. Read the file into memory that the library allocates outside of the Go
	// heap. A file can be empty, but a region cannot.
	here, err := zone.Alloc(max(1, int(there.Length)), mem.LocalWrite)
	if err != nil {
		return err
	}
	defer here.Free()
	began := time.Now()
	reads, err := readAll(ctx, conn, here, there, newProgress(out, int(there.Length)))
	if err != nil {
		return fmt.Errorf("reading the file: %w", err)
	}
	took := time.Since(began)
	fmt.Fprintf(out, "transfer   %d reads, up to %d in flight, in %v: %s/s\n",
		reads, conn.ReadsOut(), took.Round(time.Microsecond), bytesText(int(float64(there.Length)/took.Seconds())))

	// 5. Send the owner the checksum of what arrived, and compare it with the owner's.
	arrived := sha256.Sum256(here.Bytes()[:there.Length])
	if err := exchange(ctx, conn, arrived); err != nil {
		return err
	}
	fmt.Fprintf(out, "sha-256    %x, the same on both sides\n", arrived)

	// 6. Play some ping-pong. Then end the connection in order with Shutdown; this
	// also ends the owner.
	median, p99, err := pingPong(ctx, conn)
	if err != nil {
		return fmt.Errorf("ping-pong: %w", err)
	}
	_, err = fmt.Fprintf(out, "ping-pong  %d round trips of %d bytes: median %v, 99th percentile %v\n", rounds, pingSize, median, p99)
	return errors.Join(err, conn.Shutdown(ctx))
}

// readAll reads the peer's memory in pieces, with as many reads in flight as the connection
// allows. A post does not wait. The read is done when the dispatcher of the endpoint's send
// completions delivers its completion.
func readAll(ctx context.Context, conn *rdma.Conn, here *mem.Region, there mem.Remote, progress func(int)) (reads int, err error) {
	const piece = 256 << 10
	size := int(there.Length)
	var done [16]rdma.Completion
	for posted, arrived, inFlight := 0, 0, 0; arrived < size; {
		for posted < size && inFlight < conn.ReadsOut() {
			n := min(piece, size-posted)
			if err := conn.PostRead(rdma.Read{Into: here.Slice(posted, n), From: there.Slice(posted, n)}); err != nil {
				return reads, err
			}
			posted += n
			inFlight++
			reads++
		}
		n, err := conn.SendCompletions().WaitBatch(ctx, done[:])
		if err != nil {
			return reads, err
		}
		for _, c := range done[:n] {
			if c.Err() != nil {
				return reads, whyFailed(conn, &c)
			}
			arrived += c.Length
			inFlight--
			progress(c.Length)
		}
	}
	return reads, nil
}

// whyFailed is the reason why an operation failed. The completion of a flushed operation says
// only that the connection has ended; the connection's context has the cause.
func whyFailed(conn *rdma.Conn, c *rdma.Completion) error {
	if c.Status != rdma.StatusFlushed {
		return c.Err()
	}
	<-conn.Context().Done() // it ends when everything is flushed
	return context.Cause(conn.Context())
}
