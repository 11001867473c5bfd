package integration_test

import (
	"context"
	"encoding/binary"
	"errors"
	"testing"
	"time"

	"github.com/godapl/godapl/internal/hca/soft/softtest"
	"github.com/godapl/godapl/rdma"
)

// TestThousandConnectionsOverSharedMemory connects, uses and closes as many in one
// process, and looks at what is left.
func TestThousandConnectionsOverSharedMemory(t *testing.T) {
	const n = 1000
	if room := descriptorLimit(t); room < 16*n {
		t.Skipf("a process may have %d descriptors here, and the test wants %d: raise ulimit -n", room, 16*n)
	}
	before := held()
	t.Run("use", func(t *testing.T) {
		c := newCrowd(t, "soft-shm", n, false)
		at := held()
		t.Logf("%d connections, both ends in this process: %v; before: %v", n, at, before)
		if more := at.goroutines - before.goroutines; more > 64 {
			t.Errorf("%d goroutines for %d connections", more, n)
		}
		// What docs/production.md says of an end, and what does not grow with their number.
		if more := at.descriptors - before.descriptors; more > 2*n*3+64 {
			t.Errorf("%d descriptors for %d ends of connections, want 3 each", more, 2*n)
		}
		if more := at.shared - before.shared; more > 2*n*2+64 {
			t.Errorf("%d mappings for %d ends of connections, want 2 each", more, 2*n)
		}
		ctx := within(t)
		there := c.y.mem.Remote()
		for i, conn := range c.active {
			into := c.y.mem.Slice(512<<10+8*i, 8)
			must(t, c.passive[i].PostRecv(rdma.Recv{Into: into, Cookie: uint64(i)}))
			from := c.x.mem.Slice(8*i, 8)
			binary.NativeEndian.PutUint64(from.Bytes(), uint64(i+1))
			made(conn.Write(ctx, from, there.Slice(8*i, 8)))(t)
			must(t, conn.Send(ctx, from))
			got, _, err := c.passive[i].RecvCompletions().Wait(ctx, 1)
			if err != nil || got.Cookie != uint64(i) || got.Err() != nil {
				t.Fatalf("connection %d: %+v, %v", i, got, err)
			}
			if v := binary.NativeEndian.Uint64(into.Bytes()); v != uint64(i+1) {
				t.Fatalf("connection %d received %d", i, v)
			}
		}
		for i := range n {
			if v := binary.NativeEndian.Uint64(c.y.mem.Bytes()[8*i:]); v != uint64(i+1) {
				t.Fatalf("connection %d wrote %d", i, v)
			}
		}
		for _, conn := range c.active {
			must(t, conn.Close())
		}
		for _, conn := range c.passive {
			ended(t, conn, rdma.ErrDisconnected)
			must(t, conn.Close())
		}
	})
	noMore(t, before, n/10)
}

// TestNoDescriptorsForSharedMemory: a connection for which there is none left is
// refused with an error that says so, and the next one, when there are, works.
func TestNoDescriptorsForSharedMemory(t *testing.T) {
	active, passive := newSide(t, open(t, "soft-shm"), 1<<16), newSide(t, open(t, "soft-shm"), 1<<16)
	others := bystand(t, active.adapter)
	ln := made(passive.adapter.Listen(within(t), "127.0.0.1:0", rdma.ListenConfig{}))(t)
	accepted := make(chan *rdma.Conn, 100)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for r := range ln.Requests() {
			ctx, cancel := shortly()
			if conn, err := r.Accept(ctx, rdma.EndpointConfig{Zone: passive.zone}); err == nil {
				accepted <- conn
			}
			cancel()
		}
	}()
	// A listener that cannot accept for lack of descriptors answers when it has some.
	dial := func(patience time.Duration) (*rdma.Conn, error) {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		return active.adapter.Dial(ctx, ln.Addr().String(), rdma.EndpointConfig{Zone: active.zone})
	}
	for room := range 12 {
		before := others.count()
		again := softtest.WithDescriptors(t, room)
		conn, err := dial(time.Second)
		again()
		if err == nil {
			t.Logf("with room for %d descriptors a connection can be made", room)
			must(t, conn.Close())
			break
		}
		t.Logf("room for %d: %v", room, err)
		if c := codeOf(err); c != rdma.ErrRefused && c != rdma.ErrUnreachable && c != rdma.ErrTimeout && c != rdma.ErrResources {
			t.Errorf("room for %d: the error is %v", room, c)
		}
		others.goOn(t, before)
	}
	conn := made(dial(patience))(t)
	made(conn.Write(within(t), active.mem.Slice(0, 64), passive.mem.Remote().Slice(0, 64)))(t)
	must(t, conn.Close())
	must(t, ln.Close())
	<-done
	close(accepted)
	for c := range accepted {
		must(t, c.Close())
	}
}

func codeOf(err error) rdma.Code {
	var e *rdma.Error
	errors.As(err, &e)
	if e == nil {
		return 0
	}
	return e.Code
}
