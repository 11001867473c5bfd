package valkey_test

import (
	"net"
	"testing"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mem"
	"github.com/godapl/godapl/rdma/valkey"
)

// rawPeer speaks the protocol by hand, and so can break it.
type rawPeer struct {
	t      testing.TB
	conn   *rdma.Conn
	memory *mem.Region // what is sent, from 1024 what the other side may write, from 4096 receives
	buffer mem.Remote  // of the other side
}

const rawReceives = 64

// newRawPeer makes a peer that is not connected yet.
func newRawPeer(t testing.TB, a *rdma.Adapter) (*rawPeer, *rdma.Endpoint) {
	t.Helper()
	zone, err := a.NewZone()
	must(t, err)
	p := &rawPeer{t: t}
	p.memory, err = zone.Alloc(8192, mem.Local|mem.RemoteWrite)
	must(t, err)
	e, err := a.NewEndpoint(rdma.EndpointConfig{Zone: zone, RecvDepth: rawReceives, SendDepth: 64})
	must(t, err)
	for i := range rawReceives {
		must(t, e.PostRecv(rdma.Recv{Into: p.memory.Slice(4096+32*i, 32), Cookie: uint64(i)}))
	}
	t.Cleanup(func() {
		must(t, e.Close())
		must(t, p.memory.Free())
		must(t, zone.Close())
	})
	return p, e
}

// rawPair connects a client that is a rawPeer with an accepted connection.
func rawPair(t testing.TB, a *rdma.Adapter, ln *valkey.Listener) (*rawPeer, *valkey.Conn) {
	t.Helper()
	p, e := newRawPeer(t, a)
	var err error
	p.conn, err = e.Connect(t.Context(), ln.Addr().String(), rdma.ConnConfig{})
	must(t, err)
	y, err := ln.Accept()
	must(t, err)
	p.connected(y)
	return p, y.(*valkey.Conn)
}

// connected takes the first message of the other side, which tells of its buffer.
func (p *rawPeer) connected(other net.Conn) {
	p.t.Helper()
	p.t.Cleanup(func() {
		_ = p.conn.Close()
		_ = other.Close()
	})
	p.buffer = valkey.ParseRegister(p.arrived(32))
}

// arrived waits for what comes next, which has n bytes, and returns the memory of its receive.
func (p *rawPeer) arrived(n int) []byte {
	p.t.Helper()
	c, _, err := p.conn.RecvCompletions().Wait(p.t.Context(), 1)
	must(p.t, err)
	must(p.t, c.Err())
	if c.Length != n {
		p.t.Fatalf("%d bytes arrived instead of %d", c.Length, n)
	}
	return p.memory.Slice(4096+32*int(c.Cookie), 32).Bytes()
}

// send sends bytes as a message. Errors are of a connection that is over.
func (p *rawPeer) send(b []byte) {
	from := p.memory.Slice(0, len(b))
	copy(from.Bytes(), b)
	_ = p.conn.Send(p.t.Context(), from)
}

// write writes n bytes at an offset of the server's buffer, with a number.
func (p *rawPeer) write(at, n int, number uint32) {
	to := p.buffer
	to.Addr, to.Length = to.Addr+uint64(at), uint64(n)
	_ = p.conn.PostWrite(rdma.Write{From: p.memory.Slice(0, n), To: to, Immediate: number, Flags: rdma.WithImmediate | rdma.NoCompletion})
}
