package integration_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mem"
)

// peerVariable makes this binary the peer: adapter and address, with a space
// between, that the peer process connects to. Without an address it listens, and
// prints where.
const peerVariable = "GODAPL_TEST_PEER"

const (
	peerMemory = 4 << 20
	peerDepth  = 32
)

// runPeer connects to the test, posts as many operations as the test does, and takes those of
// the test, until it is killed or the test has ended.
func runPeer(where string) int {
	work := peerWork
	if rest, ok := strings.CutPrefix(where, "write "); ok {
		work, where = writeUntilEnd, rest
	} else if rest, ok := strings.CutPrefix(where, "fill "); ok {
		work, where = fillUntilEnd, rest
	}
	adapter, address, _ := strings.Cut(where, " ")
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() { // ends with the process
		io.Copy(io.Discard, os.Stdin)
		cancel()
	}()
	if err := work(ctx, adapter, address); err != nil {
		fmt.Fprintln(os.Stderr, "peer:", err)
		return 1
	}
	return 0
}

func peerWork(ctx context.Context, adapter, address string) error {
	a, err := rdma.Open(ctx, adapter, rdma.OpenConfig{ReceiveWait: patience})
	if err != nil {
		return err
	}
	defer a.Close()
	zone, err := a.NewZone()
	if err != nil {
		return err
	}
	region, err := zone.Alloc(peerMemory, mem.All)
	if err != nil {
		return err
	}
	e, err := a.NewEndpoint(rdma.EndpointConfig{Zone: zone, SendDepth: peerDepth, RecvDepth: peerDepth})
	if err != nil {
		return err
	}
	for i := range peerDepth {
		if err := e.PostRecv(rdma.Recv{Into: region.Slice(atReceives+i<<12, 4<<10), Cookie: uint64(i)}); err != nil {
			return err
		}
	}
	private, err := region.Remote().MarshalBinary()
	if err != nil {
		return err
	}
	conn, told, err := peerConnect(ctx, e, address, private)
	if err != nil {
		return err
	}
	var there mem.Remote
	if err := there.UnmarshalBinary(told); err != nil {
		return err
	}
	failed := make(chan error, 2)
	go func() { failed <- peerReceives(ctx, conn, region) }()
	go func() { failed <- peerRequests(ctx, conn, region, there) }()
	return <-failed
}

// peerConnect connects, or waits to be connected to. It gives the test's private
// data.
func peerConnect(ctx context.Context, e *rdma.Endpoint, address string, private []byte) (*rdma.Conn, []byte, error) {
	if address != "" {
		conn, err := e.Connect(ctx, address, rdma.ConnConfig{Private: private})
		if err != nil {
			return nil, nil, err
		}
		return conn, conn.PrivateData(), nil
	}
	ln, err := e.Adapter().Listen(ctx, "127.0.0.1:0", rdma.ListenConfig{})
	if err != nil {
		return nil, nil, err
	}
	fmt.Println(ln.Addr().String())
	select {
	case r := <-ln.Requests():
		conn, err := r.AcceptOn(ctx, e, rdma.ConnConfig{Private: private})
		return conn, r.PrivateData(), err
	case <-ctx.Done():
		return nil, nil, ctx.Err()
	}
}

// peerReceives posts every receive again.
func peerReceives(ctx context.Context, conn *rdma.Conn, region *mem.Region) error {
	var list [peerDepth]rdma.Completion
	for {
		n, err := conn.RecvCompletions().WaitBatch(ctx, list[:])
		if err != nil {
			return err
		}
		for _, c := range list[:n] {
			if err := c.Err(); err != nil {
				return err
			}
			if err := conn.PostRecv(rdma.Recv{Into: region.Slice(atReceives+int(c.Cookie)<<12, 4<<10), Cookie: c.Cookie}); err != nil {
				return err
			}
		}
	}
}

// peerRequests keeps the queue full of every kind of request.
func peerRequests(ctx context.Context, conn *rdma.Conn, region *mem.Region, there mem.Remote) error {
	var list [peerDepth]rdma.Completion
	room := peerDepth
	for i := uint64(0); ; i++ {
		if room == 0 {
			n, err := conn.SendCompletions().WaitBatch(ctx, list[:])
			if err != nil {
				return err
			}
			for _, c := range list[:n] {
				if err := c.Err(); err != nil {
					return err
				}
			}
			room += n
		}
		if err := postSomething(conn, region, there, i, i); err != nil {
			return err
		}
		room--
	}
}

// The layout of the memory of both sides. Memory that is sent, or that the peer reads, does
// not change during the test.
const (
	atReceives = 0
	atConstant = 1 << 20 // sent, written from, read by the peer
	atWritten  = 2 << 20 // by the peer
	atCounter  = 5 << 19 // added to by the peer
	atFetched  = 3 << 20 // reads and atomics put what they fetch here
	atCalls    = 7 << 19 // and waiting calls here
)

// postSomething posts request number i of the mix of operations that both sides use.
func postSomething(conn *rdma.Conn, region *mem.Region, there mem.Remote, i, cookie uint64) error {
	n := 64 << (i % 13) // to 256 KiB
	switch i % 4 {
	case 0:
		return conn.PostSend(rdma.Send{From: region.Slice(atConstant, min(n, 4<<10)), Cookie: cookie})
	case 1:
		return conn.PostRead(rdma.Read{Into: region.Slice(atFetched, n), From: there.Slice(atConstant, n), Cookie: cookie})
	case 2:
		return conn.PostFetchAdd(rdma.FetchAdd{Into: region.Slice(atFetched, 8), At: there.Slice(atCounter, 8), Add: 1, Cookie: cookie})
	}
	return conn.PostWrite(rdma.Write{From: region.Slice(atConstant, n), To: there.Slice(atWritten, n), Cookie: cookie})
}
