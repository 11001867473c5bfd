package dat_test

import (
	"context"
	"testing"

	"github.com/godapl/godapl/compat/dat"
	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/event"
	"github.com/godapl/godapl/rdma/mem"
)

// The same work, natively and by the calls: a write of 8 bytes in the process, and
// its completion taken at once.

func BenchmarkWriteDat(b *testing.B) {
	passive, active := pair(b, usual)
	iov, to := active.mem.iov(0, 8), passive.mem.remote(0, 8)
	var ev dat.Event
	b.ReportAllocs()
	for b.Loop() {
		if ret := dat.EPPostRDMAWrite(active.ep, 1, iov, num(1), to, 0); ret != 0 {
			b.Fatal(ret)
		}
		if ret := dat.EVDDequeue(active.req, &ev); ret != 0 {
			b.Fatal(ret)
		}
	}
}

func BenchmarkWriteNative(b *testing.B) {
	conn, region, remote := nativePair(b)
	w := rdma.Write{From: region.Slice(0, 8), To: remote.Slice(0, 8), Cookie: 1}
	requests := conn.SendCompletions()
	b.ReportAllocs()
	for b.Loop() {
		if err := conn.PostWrite(w); err != nil {
			b.Fatal(err)
		}
		if _, err := requests.Dequeue(); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkWritePollNative polls, for one completion at a time.
func BenchmarkWritePollNative(b *testing.B) {
	conn, region, remote := nativePair(b)
	w := rdma.Write{From: region.Slice(0, 8), To: remote.Slice(0, 8), Cookie: 1}
	requests := conn.SendCompletions()
	var buf [1]rdma.Completion
	for b.Loop() {
		if err := conn.PostWrite(w); err != nil {
			b.Fatal(err)
		}
		if n := requests.Poll(buf[:]); n != 1 {
			b.Fatal(n)
		}
	}
}

func nativePair(b *testing.B) (*rdma.Conn, *mem.Region, mem.Remote) {
	ctx := context.Background()
	a, err := rdma.Open(ctx, usual, rdma.OpenConfig{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { a.Close() })
	z, _ := a.NewZone()
	r, _ := z.Alloc(8192, mem.All)
	ln, err := a.Listen(ctx, "127.0.0.1:0", rdma.ListenConfig{})
	if err != nil {
		b.Fatal(err)
	}
	go func() {
		for req := range ln.Requests() {
			req.Accept(ctx, rdma.EndpointConfig{Zone: z})
		}
	}()
	c, err := a.Dial(ctx, ln.Addr().String(), rdma.EndpointConfig{Zone: z})
	if err != nil {
		b.Fatal(err)
	}
	return c, r, r.Remote()
}

func BenchmarkDequeueDat(b *testing.B) {
	ia, _ := open(b, usual)
	h := evd(b, ia, 64, dat.EVDSoftwareFlag)
	se := dat.Event{EventNumber: dat.SoftwareEvent}
	var ev dat.Event
	b.ReportAllocs()
	for b.Loop() {
		dat.EVDPostSE(h, &se)
		dat.EVDDequeue(h, &ev)
	}
}

func BenchmarkPollEmptyDat(b *testing.B) {
	_, s := pair(b, usual)
	var ev dat.Event
	for b.Loop() {
		dat.EVDDequeue(s.req, &ev)
	}
}

func BenchmarkPollEmptyNative(b *testing.B) {
	conn, _, _ := nativePair(b)
	r := conn.SendCompletions()
	for b.Loop() {
		r.Dequeue()
	}
}
func BenchmarkWriteWaitDat(b *testing.B) {
	passive, active := pair(b, usual)
	iov, to := active.mem.iov(0, 8), passive.mem.remote(0, 8)
	var ev dat.Event
	var more dat.Count
	for b.Loop() {
		dat.EPPostRDMAWrite(active.ep, 1, iov, num(1), to, 0)
		dat.EVDWait(active.req, dat.TimeoutInfinite, 1, &ev, &more)
	}
}

func BenchmarkWriteWaitNative(b *testing.B) {
	conn, region, remote := nativePair(b)
	w := rdma.Write{From: region.Slice(0, 8), To: remote.Slice(0, 8), Cookie: 1}
	requests := conn.SendCompletions()
	for b.Loop() {
		conn.PostWrite(w)
		requests.WaitTimeout(event.Forever, 1)
	}
}
