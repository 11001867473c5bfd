package rsocket_test

import (
	"testing"

	"github.com/godapl/godapl/internal/rsock"
	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mem"
	"github.com/godapl/godapl/rdma/rsocket"
)

// rawPeer speaks the protocol by hand, and so can break it.
type rawPeer struct {
	t       testing.TB
	conn    *rdma.Conn
	memory  *mem.Region // table, then half 0
	hello   rsock.Hello // of the other side
	big     bool        // the order that both have
	credits uint16
}

const rawHalf = 1024

// rawPair connects a rawPeer with an accepted connection.
func rawPair(t testing.TB, a *rdma.Adapter, ln *rsocket.Listener) (*rawPeer, *rsocket.Conn) {
	t.Helper()
	return rawPairWith(t, a, ln, func(*rsock.Hello) {})
}

// rawPairWith is rawPair with changes to the peer's Hello.
func rawPairWith(t testing.TB, a *rdma.Adapter, ln *rsocket.Listener, tweak func(*rsock.Hello)) (*rawPeer, *rsocket.Conn) {
	t.Helper()
	return rawPairThat(t, a, ln, tweak, (*rawPeer).introduce)
}

// introduce sends the first message, as every peer does: it has half 1.
func (p *rawPeer) introduce() {
	p.entry(1, p.ownHalf(1))
	p.message(rsock.WindowMessage(p.credits))
}

// rawPairThat is rawPairWith with something else that the peer does at first.
func rawPairThat(t testing.TB, a *rdma.Adapter, ln *rsocket.Listener, tweak func(*rsock.Hello), first func(*rawPeer)) (*rawPeer, *rsocket.Conn) {
	t.Helper()
	zone, err := a.NewZone()
	must(t, err)
	p := &rawPeer{t: t}
	p.memory, err = zone.Alloc(4096, mem.Local|mem.RemoteWrite)
	must(t, err)
	r := p.memory.Remote()
	h := rsock.Hello{
		Flags: rsock.HasIOMap, Credits: 64,
		Table: rsock.Entry{Addr: r.Addr, Key: uint32(r.Key), Length: 2},
		Half:  p.ownHalf(0),
	}
	tweak(&h)
	p.big = h.Big()
	e, err := a.NewEndpoint(rdma.EndpointConfig{Zone: zone, RecvDepth: 128, SendDepth: 1024})
	must(t, err)
	for i := range 128 {
		must(t, e.PostRecv(rdma.Recv{Into: p.receive(uint64(i)), Cookie: uint64(i)}))
	}
	p.conn, err = e.Connect(t.Context(), ln.Addr().String(), rdma.ConnConfig{Private: h.Append(nil)})
	must(t, err)
	p.hello, err = rsock.ParseHello(p.conn.PrivateData())
	must(t, err)
	p.credits = h.Credits
	first(p)
	y, err := ln.Accept()
	must(t, err)
	t.Cleanup(func() {
		_ = p.conn.Close()
		_ = y.Close()
		must(t, e.Close())
		must(t, p.memory.Free())
		must(t, zone.Close())
	})
	return p, y.(*rsocket.Conn)
}

// receive is the memory of a receive.
func (p *rawPeer) receive(i uint64) mem.Slice { return p.memory.Slice(3000+4*int(i), 4) }

// got is the message of a completion.
func (p *rawPeer) got(c *rdma.Completion) rsock.Message {
	if c.Op == rdma.OpRecvWriteImm {
		return rsock.Message(c.Immediate)
	}
	return rsock.GetMessage(p.receive(c.Cookie).Bytes(), p.big)
}

// message sends a message without a write. Errors are of a connection that is over.
func (p *rawPeer) message(m rsock.Message) {
	if !sends(p.conn) {
		_ = p.conn.PostWrite(rdma.Write{To: p.table().Slice(0, 0), Immediate: uint32(m), Flags: rdma.WithImmediate | rdma.NoCompletion})
		return
	}
	from := p.memory.Slice(3900, 4)
	rsock.PutMessage(from.Bytes(), m, p.big)
	_ = p.conn.Send(p.t.Context(), from)
}

// sends reports whether messages are sends behind the writes, and not immediate data.
func sends(c *rdma.Conn) bool { return c.Path() == "tcp" || !c.Caps().WriteImmediate }

func (p *rawPeer) table() mem.Remote {
	return mem.Remote{Key: mem.Key(p.hello.Table.Key), Addr: p.hello.Table.Addr, Length: rsock.Entries * rsock.EntrySize}
}

// entry writes an entry of the other side's table.
func (p *rawPeer) entry(index int, e rsock.Entry) {
	from := p.memory.Slice(3800, rsock.EntrySize)
	e.Put(from.Bytes(), p.big)
	_, _ = p.conn.Write(p.t.Context(), from, p.table().Slice(index*rsock.EntrySize, rsock.EntrySize))
}

// half is the other side's half 0.
func (p *rawPeer) half() mem.Remote {
	return mem.Remote{Key: mem.Key(p.hello.Half.Key), Addr: p.hello.Half.Addr, Length: uint64(p.hello.Half.Length)}
}

// ownHalf is a half of this side.
func (p *rawPeer) ownHalf(i int) rsock.Entry {
	r := p.memory.Remote()
	return rsock.Entry{Addr: r.Addr + 64 + uint64(i)*rawHalf, Key: uint32(r.Key), Length: rawHalf}
}
