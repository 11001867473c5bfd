package rdma_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mem"
)

// The whole error text of each kind of failing call, on each path: {peer} stands for the address
// of the other side, {name} for the adapter, # for the number of an object.

// golden compares error texts with the expected ones.
type golden struct {
	testing.TB
	replace *strings.Replacer
}

// says checks the text of an error.
func (g golden) says(err error, want string) {
	g.Helper()
	if have := numberless(err); have != g.replace.Replace(want) {
		g.Errorf("%s\nwant %s", have, g.replace.Replace(want))
	}
}

// tagging gives tags to the sides of a connection.
func tagging(a, p *rdma.EndpointConfig) {
	a.Tag, p.Tag = 7, 8
	a.SendDepth, p.RecvDepth = 2, 2
}

const (
	onPeer   = "on connection to {peer} (tag 7): "
	fullText = "queue full: as many requests as the queue is deep are under way, or the completions that nobody has taken fill their queue: take completions, or make the queue deeper (SendDepth)"
	allText  = "region # of zone # of {name} (65536 bytes)"
)

// The error of a post or call that a connection refuses names the connection.
func TestGoldenRefusals(t *testing.T) {
	for _, name := range errorPaths {
		t.Run(name, func(t *testing.T) {
			a, p := connect(t, name, tagging)
			g := golden{t, strings.NewReplacer("{peer}", a.conn.RemoteAddr().String(), "{name}", name)}
			ctx, mine, far := within(t), a.mem.Slice(0, 8), p.mem.Slice(0, 8).Remote()
			poor, err := a.zone.Alloc(4096, mem.LocalRead)
			must(t, err)
			g.says(a.conn.PostSend(rdma.Send{From: a.mem.Slice(0, 1<<20)}), "post send "+onPeer+"invalid parameter: 1048576 bytes at offset 0 are not inside 65536 bytes")
			g.says(a.conn.PostSend(rdma.Send{From: p.mem.Slice(0, 8)}), "post send "+onPeer+"wrong protection zone: "+allText+" is not of zone # of {name}, as the operation is; RegisterAgain makes a region of the other zone over the same memory")
			g.says(a.conn.PostSend(rdma.Send{From: mine, More: make([]mem.Slice, 9)}), "post send "+onPeer+"invalid parameter: 10 pieces, at most 4 are configured (SendSegments, RecvSegments)")
			g.says(a.conn.PostRecv(rdma.Recv{Into: poor.All()}), "post receive "+onPeer+"access right missing: region # of zone # of {name} (4096 bytes) lacks the right local-write, it has local-read")
			g.says(a.conn.PostRead(rdma.Read{Into: mine, From: p.mem.Slice(0, 16).Remote()}), "post read "+onPeer+"length error: 16 bytes, but the local memory has 8")
			g.says(a.conn.PostWrite(rdma.Write{From: mine, To: far.Slice(0, 4)}), "post write "+onPeer+"length error: 8 bytes, but the remote memory has 4")
			g.says(a.conn.PostFetchAdd(rdma.FetchAdd{Into: mine, At: far.Slice(0, 4)}), "post fetch-add "+onPeer+"length error: 8 bytes, but the remote memory has 4")
			g.says(a.conn.PostCompareSwap(rdma.CompareSwap{Into: mine, At: far, Flags: rdma.Solicited}), "post compare-swap "+onPeer+"invalid parameter: flags solicited do not apply here; no-completion+no-wake+fence do")
			g.says(a.conn.NewBatch().Write(rdma.Write{From: mine, To: far.Slice(0, 4)}), "batch write "+onPeer+"length error: 8 bytes, but the remote memory has 4")
			_, err = a.conn.PostBind(rdma.Bind{})
			g.says(err, "post bind "+onPeer+"invalid parameter: there is no window")
			_, err = a.conn.Bind(ctx, nil, mine, mem.RemoteRead)
			g.says(err, "bind "+onPeer+"invalid parameter: there is no window")
			g.says(a.conn.Send(ctx, p.mem.Slice(0, 0).Slice(1, 1)), "send "+onPeer+"invalid parameter: 1 bytes at offset 1 are not inside 0 bytes")
			_, err = a.conn.Read(ctx, mine, p.mem.Slice(0, 16).Remote())
			g.says(err, "read "+onPeer+"length error: 16 bytes, but the local memory has 8")
			_, err = a.conn.Write(ctx, mine, far.Slice(0, 4))
			g.says(err, "write "+onPeer+"length error: 8 bytes, but the remote memory has 4")
			_, err = a.conn.FetchAdd(ctx, far.Slice(0, 4), 1)
			g.says(err, "fetch-add "+onPeer+"length error: 8 bytes, but the remote memory has 4")
			_, err = a.conn.ReaderAt(ctx, far).ReadAt(make([]byte, 1), -1)
			g.says(err, "read remote memory "+onPeer+"invalid parameter: offset -1 is negative")
			for err = nil; err == nil; {
				err = a.conn.PostWrite(rdma.Write{From: mine, To: far})
			}
			g.says(err, "post write "+onPeer+fullText)
			g.says(a.conn.Endpoint().Modify(rdma.EndpointConfig{}), "modify endpoint # (tag 7): wrong state: it is connected; only an unconnected one can be changed")
			g.says(a.conn.Endpoint().Reset(), "reset endpoint # (tag 7): wrong state: it is connected; Abort it first")
			_, err = a.conn.Endpoint().Connect(ctx, "127.0.0.1:9", rdma.ConnConfig{})
			g.says(err, "connect 127.0.0.1:9 (tag 7): wrong state: endpoint # (tag 7) is connected; it must be unconnected (Reset leads there)")
			must(t, a.conn.Close())
			g.says(a.conn.PostSend(rdma.Send{From: mine}), "post send "+onPeer+"closed: the endpoint has been closed")
		})
	}
}

// An error names the object and the call.
func TestGoldenObjects(t *testing.T) {
	for _, name := range errorPaths {
		t.Run(name, func(t *testing.T) {
			a, p := connect(t, name, tagging)
			g := golden{t, strings.NewReplacer("{peer}", a.conn.RemoteAddr().String(), "{name}", name)}
			w, err := a.zone.NewWindow(mem.ZoneWindow)
			must(t, err)
			_, err = a.conn.Bind(within(t), w, a.mem.Slice(0, 8), mem.RemoteRead)
			must(t, err)
			g.says(a.mem.Free(), "free "+allText+": in use: 1 window is bound to it: unbind or free that first")
			q, err := a.adapter.NewCompletionQueue(rdma.CompletionQueueConfig{Depth: 4})
			must(t, err)
			s, err := a.zone.NewSharedReceiveQueue(rdma.SharedReceiveConfig{Depth: 2})
			must(t, err)
			e, err := a.adapter.NewEndpoint(rdma.EndpointConfig{Zone: a.zone, RecvCQ: q, SharedReceives: s})
			must(t, err)
			g.says(a.zone.Close(), "close zone # of {name}: in use: it still has 2 endpoints, 1 shared receive queue, 1 region, 1 window: close or free those first")
			g.says(q.Close(), "close completion queue # of {name}: in use: endpoints still report to it: close those first")
			g.says(s.Close(), "close shared receive queue # of {name}: in use: it still serves 1 endpoint: close that first")
			g.says(q.Resize(-1), "resize completion queue # of {name}: invalid parameter: depth -1 is not in 1..4194304")
			g.says(s.SetLowWatermark(9), "set low watermark on shared receive queue # of {name}: invalid parameter: 9 is not in 0..2")
			g.says(e.PostRecv(rdma.Recv{}), "post receive on endpoint #: wrong state: its receives come from a shared receive queue; post there")
			_, err = q.Dispatcher().Dequeue()
			g.says(err, "dequeue from completion queue # of {name}: queue empty: no event is queued")
			_, err = a.zone.Alloc(0, 0)
			g.says(err, "alloc 0 bytes in zone # of {name}: invalid parameter: a region needs at least one byte")
			_, err = a.zone.NewWindow(9)
			g.says(err, "new window of zone # of {name}: invalid parameter: unknown kind 9")
			_, err = a.adapter.NewEndpoint(rdma.EndpointConfig{SendDepth: -1, Tag: 3})
			g.says(err, "new endpoint of {name} (tag 3): invalid parameter: SendDepth is negative: -1")
			_, err = a.adapter.Dial(within(t), "127.0.0.1:7", rdma.EndpointConfig{})
			g.says(err, "dial 127.0.0.1:7: wrong state: endpoint # has no zone: set EndpointConfig.Zone, or call Modify")
			_, err = p.adapter.Dial(within(t), "nonsense", rdma.EndpointConfig{Zone: p.zone})
			g.says(err, "dial nonsense: bad address: it is not host:service; an address looks like host:7471, [2001:db8::1]:7471 or :7471")
			must(t, p.mem.Free())
			_, err = p.mem.WriteAt(nil, 0)
			g.says(err, "write to "+allText+": closed: the region has been freed")
			must(t, p.adapter.Close())
			_, err = p.zone.Alloc(10, 0)
			g.says(err, "alloc 10 bytes in zone # of {name}: closed: the zone has been closed")
			_, err = p.adapter.NewZone()
			g.says(err, "new zone of {name}: closed: the adapter has been closed")
		})
	}
}

// After a refused access or a message that is too long, the errors of each side say once what
// happened, and on which connection.
func TestGoldenEnds(t *testing.T) {
	const (
		to, from = "connection to {peer} (tag 7): ", "connection to {active} (tag 8): "
		cure     = "the peer's memory was freed or unbound, lacks the right, is of another zone or shorter; ask the peer for a new key"
	)
	for name, want := range map[string]struct{ call, here, there string }{
		"soft-loop": {"read on " + to + "remote access error: " + cure,
			to + "connection broken: read: remote access error",
			from + "connection broken: the peer broke it: read: remote access error"},
		"soft-shm": {"read on " + to + "remote access error: " + cure,
			to + "connection broken: the peer refused a request and broke it: remote access error",
			from + "connection broken: the peer may not read there"},
	} {
		if !has(name) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			a, p := connect(t, name, tagging)
			g := golden{t, strings.NewReplacer("{peer}", a.conn.RemoteAddr().String(), "{active}", p.conn.RemoteAddr().String())}
			far := p.mem.Slice(0, 8).Remote()
			far.Key ^= 1 << 20
			must(t, p.conn.PostRecv(rdma.Recv{Into: p.mem.Slice(0, 8)}))
			_, err := a.conn.Read(within(t), a.mem.Slice(0, 8), far)
			g.says(err, want.call)
			<-a.conn.Context().Done()
			<-p.conn.Context().Done()
			g.says(context.Cause(a.conn.Context()), want.here)
			g.says(context.Cause(p.conn.Context()), want.there)
			c, err := p.conn.RecvCompletions().Dequeue()
			must(t, err)
			g.says(c.Err(), "receive on "+from+"flushed: the connection ended before it was done; the context of the Conn says why")
		})
	}
}

// No text contains a memory address, and no text repeats itself.
func TestTextsOfSharedMemorySayItOnce(t *testing.T) {
	if !has("soft-shm") {
		t.Skip("there is no path over shared memory here")
	}
	s := newSide(t, "soft-shm")
	_, err := s.adapter.Dial(within(t), "127.0.0.1:1", rdma.EndpointConfig{Zone: s.zone, Tag: 5})
	if want := "dial 127.0.0.1:1 (tag 5): refused: nobody of this host and user listens there: @godapl/2/0.0.0.0/0000000000000001: connection refused"; fmt.Sprint(err) != want {
		t.Errorf("%v\nwant %s", err, want)
	}
	ln := listen(t, s.adapter)
	_, err = newSide(t, "soft-shm").adapter.Listen(within(t), ln.Addr().String(), rdma.ListenConfig{})
	text := fmt.Sprint(err)
	if head := "listen " + ln.Addr().String() + ": service in use: a process of this host already listens on that service: @godapl/2/"; !strings.HasPrefix(text, head) ||
		!strings.HasSuffix(text, ": address already in use") || strings.Count(text, "@godapl") != 1 {
		t.Errorf("%s\nwant %s", text, head)
	}
}
