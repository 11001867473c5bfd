package wire_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mem"
)

// paths are the adapters that the tests use.
var paths = []string{"soft-tcp", "soft-loop"}

// A peer is a side of a connection.
type peer struct {
	t        *testing.T
	ctx      context.Context
	zone     *rdma.Zone
	end      *rdma.Endpoint
	conn     *rdma.Conn
	out      *mem.Region
	receives []mem.Slice
	records  []record // received, and not taken
	placed   uint64   // the latest that was taken
}

// open opens an adapter for the test.
func open(t *testing.T, name string) (context.Context, *rdma.Adapter) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute) // never reached, but by a hang
	t.Cleanup(cancel)
	a, err := rdma.Open(ctx, name, rdma.OpenConfig{})
	check(t, err)
	t.Cleanup(func() { check(t, a.Close()) })
	return ctx, a
}

// newPeer makes a side with n receives of size bytes.
func newPeer(ctx context.Context, t *testing.T, a *rdma.Adapter, n, size int) *peer {
	t.Helper()
	p := &peer{t: t, ctx: ctx}
	var err error
	p.zone, err = a.NewZone()
	check(t, err)
	p.out = p.alloc(64 << 10)
	in := p.alloc(n * size)
	p.end, err = a.NewEndpoint(rdma.EndpointConfig{Zone: p.zone, RecvDepth: n})
	check(t, err)
	for i := range n {
		p.receives = append(p.receives, in.Slice(i*size, size))
		check(t, p.end.PostRecv(rdma.Recv{Into: p.receives[i], Cookie: uint64(i)}))
	}
	return p
}

// alloc makes memory that the other side may read.
func (p *peer) alloc(bytes int) *mem.Region {
	p.t.Helper()
	region, err := p.zone.Alloc(bytes, mem.Local|mem.RemoteRead)
	check(p.t, err)
	return region
}

func (p *peer) send(records ...record) { p.t.Helper(); p.sendBytes(message(records...)) }

func (p *peer) sendBytes(b []byte) {
	p.t.Helper()
	check(p.t, p.conn.Send(p.ctx, p.out.Slice(0, copy(p.out.Bytes(), b))))
}

// next takes the next record.
func (p *peer) next() record {
	p.t.Helper()
	for len(p.records) == 0 {
		c, _, err := p.end.RecvCompletions().Wait(p.ctx, 1)
		check(p.t, err)
		check(p.t, c.Err())
		p.records = records(p.t, p.receives[c.Cookie].Bytes()[:c.Length])
		check(p.t, p.end.PostRecv(rdma.Recv{Into: p.receives[c.Cookie], Cookie: c.Cookie}))
	}
	r := p.records[0]
	p.records = p.records[1:]
	if r.kind >= kindAnswer && r.kind <= kindClosed { // of a mailbox
		if r.placed < p.placed {
			p.t.Fatalf("%v, after %d placed", r, p.placed)
		}
		p.placed = r.placed
	}
	return r
}

// ended waits for the end of the connection, and returns the cause.
func (p *peer) ended() error {
	p.t.Helper()
	select {
	case <-p.conn.Context().Done():
	case <-p.ctx.Done():
		p.t.Fatal("the connection does not end")
	}
	return context.Cause(p.conn.Context())
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// is checks what an error matches.
func is(t *testing.T, err error, codes ...error) {
	t.Helper()
	for _, c := range codes {
		if !errors.Is(err, c) {
			t.Fatalf("%v; want %v", err, c)
		}
	}
}
