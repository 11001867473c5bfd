package integration_test

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"slices"
	"strings"
	"testing"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mem"
)

// fabrics are kinds of streams that a program may provide, each with an address to listen at.
func fabrics(t *testing.T) map[string]struct {
	fabric  rdma.Fabric
	address string
} {
	return map[string]struct {
		fabric  rdma.Fabric
		address string
	}{
		"test-pipe":   {newMemory(func() (net.Conn, net.Conn) { return net.Pipe() }), "anywhere:1"},
		"test-memory": {newMemory(buffered), "anywhere:1"},
		"test-tls":    {newTLSFabric(t), "127.0.0.1:0"},
	}
}

// TestFabricOfTheProgram registers adapters over streams of the program, and executes every
// operation over them.
func TestFabricOfTheProgram(t *testing.T) {
	for name, f := range fabrics(t) {
		t.Run(name, func(t *testing.T) {
			must(t, rdma.RegisterFabric(name, f.fabric))
			defer rdma.UnregisterFabric(name)
			if !slices.Contains(rdma.Adapters(), name) {
				t.Errorf("%v lacks %s", rdma.Adapters(), name)
			}
			before := held()
			t.Run("operations", func(t *testing.T) {
				x, y := newSide(t, open(t, name), 1<<20), newSide(t, open(t, name), 1<<20)
				everyOperation(t, x, y, f.address)
			})
			t.Run("ends", func(t *testing.T) { fabricEnds(t, name, f.address, f.fabric) })
			t.Run("everything at once", func(t *testing.T) {
				address := func(link int) string { return strings.Replace(f.address, ":1", fmt.Sprint(":", 1+link), 1) }
				if strings.HasSuffix(f.address, ":0") {
					address = func(int) string { return f.address }
				}
				drive(t, name, address, func(n int) bool { return n < 4 })
			})
			if m, ok := f.fabric.(*memory); ok {
				if n := m.streams(); n != 0 {
					t.Errorf("%d streams of the program's are open", n)
				}
			}
			noMore(t, before, 100)
		})
	}
}

// TestEveryOperation is the same on the adapters that are built in.
func TestEveryOperation(t *testing.T) {
	for _, name := range paths {
		t.Run(name, func(t *testing.T) {
			x, y := newSide(t, open(t, name), 1<<20), newSide(t, open(t, name), 1<<20)
			everyOperation(t, x, y, "127.0.0.1:0")
		})
	}
}

func everyOperation(t *testing.T, x, y *side, address string) {
	ctx := within(t)
	srq := made(y.zone.NewSharedReceiveQueue(rdma.SharedReceiveConfig{Depth: 16}))(t)
	a := made(x.adapter.NewEndpoint(rdma.EndpointConfig{Zone: x.zone}))(t)
	b := made(y.adapter.NewEndpoint(rdma.EndpointConfig{Zone: y.zone, SharedReceives: srq}))(t)
	x.conn, y.conn = link(t, a, b, address)
	caps := x.conn.Caps()
	t.Logf("path %s, %s to %s, acked %v, %+v", x.conn.Path(), x.conn.LocalAddr().String(), x.conn.RemoteAddr().String(), x.conn.Acked(), caps)

	next := uint64(0)
	// sent takes the completion of the request that was just posted.
	sent := func(op rdma.Op, n int) {
		t.Helper()
		next++
		if c := take(t, a.SendCompletions(), 1)[0]; c.Cookie != next || c.Op != op || c.Err() != nil || c.Length != n || c.Endpoint != a {
			t.Errorf("completion %+v, want %v of %d bytes with cookie %d", c, op, n, next)
		}
	}
	// came takes the completion of a receive.
	came := func(op rdma.Op, n int) rdma.Completion {
		t.Helper()
		c := take(t, b.RecvCompletions(), 1)[0]
		if c.Op != op || c.Err() != nil || c.Length != n || c.Endpoint != b {
			t.Errorf("completion %+v, want %v of %d bytes", c, op, n)
		}
		return c
	}
	receive := func() { t.Helper(); must(t, srq.PostRecv(rdma.Recv{Into: y.mem.Slice(1<<19, 1<<19)})) }
	into := y.mem.Bytes()[1<<19:]

	for i, n := range []int{0, 1, 63, 4096, 65536, 1 << 19} {
		paint(x.mem.Bytes()[:n], i)
		receive()
		must(t, a.PostSend(rdma.Send{From: x.mem.Slice(0, n/2), More: []mem.Slice{x.mem.Slice(n/2, n-n/2)}, Cookie: next + 1}))
		sent(rdma.OpSend, n)
		came(rdma.OpRecv, n)
		if at := differs(into[:n], i); at >= 0 {
			t.Errorf("message of %d bytes: byte %d is wrong", n, at)
		}
		there := y.mem.Slice(0, n).Remote()
		must(t, a.PostWrite(rdma.Write{From: x.mem.Slice(0, n), To: there, Cookie: next + 1}))
		sent(rdma.OpWrite, n)
		clear(x.mem.Bytes()[:n])
		must(t, a.PostRead(rdma.Read{Into: x.mem.Slice(0, n), From: there, Cookie: next + 1, Flags: rdma.Fence}))
		sent(rdma.OpRead, n)
		if at := differs(x.mem.Bytes()[:n], i); at >= 0 {
			t.Errorf("write and read of %d bytes: byte %d is wrong", n, at)
		}
	}

	immediate := func(name string, can bool, post func() error, op, received rdma.Op) {
		t.Helper()
		if !can {
			wantCode(t, post(), rdma.ErrUnsupported, name)
			return
		}
		receive()
		must(t, post())
		sent(op, 100)
		if c := came(received, 100); c.Immediate != 0xfeedface {
			t.Errorf("%s: immediate data %#x", name, c.Immediate)
		}
	}
	immediate("write with immediate data", caps.WriteImmediate, func() error {
		return a.PostWrite(rdma.Write{From: x.mem.Slice(0, 100), To: y.mem.Slice(0, 100).Remote(), Immediate: 0xfeedface, Flags: rdma.WithImmediate, Cookie: next + 1})
	}, rdma.OpWriteImm, rdma.OpRecvWriteImm)
	immediate("send with immediate data", caps.SendImmediate, func() error {
		return a.PostSend(rdma.Send{From: x.mem.Slice(0, 100), Immediate: 0xfeedface, Flags: rdma.WithImmediate | rdma.Solicited, Cookie: next + 1})
	}, rdma.OpSendImm, rdma.OpRecvImm)

	counter := y.mem.Slice(4096, 8).Remote()
	clear(y.mem.Bytes()[4096:4104])
	if !caps.Atomics {
		t.Error("no atomics between two adapters of this library")
	}
	must(t, a.PostFetchAdd(rdma.FetchAdd{Into: x.mem.Slice(0, 8), At: counter, Add: 7, Cookie: next + 1}))
	sent(rdma.OpFetchAdd, 8)
	must(t, a.PostCompareSwap(rdma.CompareSwap{Into: x.mem.Slice(8, 8), At: counter, Compare: 7, Swap: 9, Cookie: next + 1}))
	sent(rdma.OpCompareSwap, 8)
	if v := made(x.conn.FetchAdd(ctx, counter, 0))(t); v != 9 {
		t.Errorf("the counter is %d after an addition and an exchange, want 9", v)
	}

	// A window of the peer's, read, and then revoked by this side.
	if !caps.EndpointWindows || !caps.SendInvalidate {
		t.Error("no endpoint windows, or no invalidation")
	}
	window := made(y.zone.NewWindow(mem.EndpointWindow))(t)
	lent := made(y.conn.Bind(ctx, window, y.mem.Slice(0, 4096), mem.RemoteRead))(t)
	made(x.conn.Read(ctx, x.mem.Slice(0, 4096), lent))(t)
	receive()
	must(t, a.PostSend(rdma.Send{Invalidate: lent.Key, Cookie: next + 1}))
	sent(rdma.OpSendInvalidate, 0)
	if c := came(rdma.OpRecvInvalidate, 0); c.Invalidated != lent.Key {
		t.Errorf("key %#x was revoked, want %#x", c.Invalidated, lent.Key)
	}
	must(t, window.Free())

	far := made(y.zone.Alloc(3<<20, mem.All))(t)
	all := make([]byte, far.Len())
	paint(all, 99)
	if n, err := x.conn.WriterAt(ctx, far.Remote()).WriteAt(all, 0); n != len(all) || err != nil {
		t.Fatal(n, err)
	}
	got := make([]byte, len(all))
	if n, err := x.conn.ReaderAt(ctx, far.Remote()).ReadAt(got, 0); n != len(all) || err != nil || !bytes.Equal(got, all) {
		t.Fatal(n, err, bytes.Equal(got, all))
	}

	batch := a.NewBatch()
	for range 3 {
		receive()
		must(t, batch.Send(rdma.Send{From: x.mem.Slice(0, 16), Flags: rdma.NoCompletion}))
	}
	must(t, batch.Read(rdma.Read{Into: x.mem.Slice(0, 16), From: counter.Slice(0, 8), Cookie: next + 1}))
	if n, err := batch.Post(); n != 4 || err != nil {
		t.Fatal(n, err)
	}
	sent(rdma.OpRead, 8)
	for range 3 {
		came(rdma.OpRecv, 16)
	}
	// A forbidden access is refused; the connection ends, and both sides get an event.
	must(t, far.Free())
	_, err := x.conn.Write(ctx, x.mem.Slice(0, 8), far.Remote().Slice(0, 8))
	if x.conn.Acked() && err == nil {
		t.Error("a write to freed memory succeeded")
	}
	ended(t, x.conn, rdma.ErrBroken)
	ended(t, y.conn, rdma.ErrBroken)
}

// fabricEnds ends connections in order, in the middle of a transfer, and through
// the loss of the stream.
func fabricEnds(t *testing.T, name, address string, fabric rdma.Fabric) {
	x, y := newSide(t, open(t, name), 4<<20), newSide(t, open(t, name), 4<<20)
	again := func() {
		t.Helper()
		a := made(x.adapter.NewEndpoint(rdma.EndpointConfig{Zone: x.zone}))(t)
		b := made(y.adapter.NewEndpoint(rdma.EndpointConfig{Zone: y.zone}))(t)
		x.conn, y.conn = link(t, a, b, address)
	}
	ctx := within(t)
	again()
	must(t, x.conn.PostWrite(rdma.Write{From: x.mem.All(), To: y.mem.Remote()}))
	must(t, x.conn.Shutdown(ctx))
	ended(t, x.conn, rdma.ErrDisconnected)
	ended(t, y.conn, rdma.ErrDisconnected)
	if c := take(t, x.conn.SendCompletions(), 1)[0]; c.Err() != nil {
		t.Errorf("what was posted before a graceful end: %v", c.Err())
	}

	again()
	for range 8 {
		must(t, x.conn.PostRead(rdma.Read{Into: x.mem.All(), From: y.mem.Remote()}))
	}
	must(t, y.conn.Abort())
	ended(t, y.conn, rdma.ErrDisconnected)
	ended(t, x.conn, rdma.ErrDisconnected, rdma.ErrBroken)
	take(t, x.conn.SendCompletions(), 8)

	if m, ok := fabric.(*memory); ok {
		again()
		for range 8 {
			must(t, x.conn.PostRead(rdma.Read{Into: x.mem.All(), From: y.mem.Remote()}))
		}
		m.cut()
		ended(t, x.conn, rdma.ErrBroken)
		ended(t, y.conn, rdma.ErrBroken, rdma.ErrDisconnected)
		take(t, x.conn.SendCompletions(), 8)
	}
	short, cancel := context.WithCancel(ctx)
	cancel()
	_, err := x.adapter.Dial(short, "nobody:1", rdma.EndpointConfig{Zone: x.zone})
	wantCode(t, err, rdma.ErrCanceled, "dial with a context that is over")
}
