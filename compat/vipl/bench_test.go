package vipl_test

import (
	"context"
	"testing"

	"github.com/godapl/godapl/compat/vipl"
	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mem"
)

// write posts one descriptor again and again, and takes it off.
func (s *side) write(t testing.TB, d *vipl.Descriptor) {
	if ret := vipl.PostSend(s.vi, d, s.mem.handle); ret != vipl.Success {
		t.Fatal(ret)
	}
	var done *vipl.Descriptor
	for vipl.SendDone(s.vi, &done) != vipl.Success {
	}
}

func (s *side) exchange(t testing.TB, to *side, d, r *vipl.Descriptor) {
	if ret := vipl.PostRecv(to.vi, r, to.mem.handle); ret != vipl.Success {
		t.Fatal(ret)
	}
	s.write(t, d)
	var done *vipl.Descriptor
	for vipl.RecvDone(to.vi, &done) != vipl.Success {
	}
}

func TestNoAllocations(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector makes pools forget")
	}
	a, b := pair(t, "soft-loop")
	w := b.desc(vipl.ControlOpRdmawrite, far(a.mem, a.mem.b), seg(b.mem, b.room(8)))
	two := b.desc(0, seg(b.mem, b.room(8)), seg(b.mem, b.room(8)))
	r := a.desc(0, seg(a.mem, a.room(8)), seg(a.mem, a.room(8)))
	for range 100 { // queues grow
		b.exchange(t, a, two, r)
	}
	if n := testing.AllocsPerRun(200, func() {
		b.write(t, w)
		b.exchange(t, a, two, r)
	}); n != 0 {
		t.Errorf("%v allocations for a write and a message", n)
	}
}

func BenchmarkWrite(b *testing.B) {
	b.Run("vipl", func(b *testing.B) {
		x, y := pair(b, "soft-loop")
		d := y.desc(vipl.ControlOpRdmawrite, far(x.mem, x.mem.b), seg(y.mem, y.room(8)))
		b.ReportAllocs()
		for b.Loop() {
			y.write(b, d)
		}
	})
	b.Run("native", func(b *testing.B) {
		from, to, conn := native(b)
		d := conn.SendCompletions()
		b.ReportAllocs()
		for b.Loop() {
			if err := conn.PostWrite(rdma.Write{From: from, To: to}); err != nil {
				b.Fatal(err)
			}
			for {
				if _, err := d.Dequeue(); err == nil {
					break
				}
			}
		}
	})
}

// native is a connection of the native API within the process, and memory for 8 bytes.
func native(b *testing.B) (from mem.Slice, to mem.Remote, conn *rdma.Conn) {
	ctx := context.Background()
	a, err := rdma.Open(ctx, "soft-loop", rdma.OpenConfig{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { a.Close() })
	zone, err := a.NewZone()
	if err != nil {
		b.Fatal(err)
	}
	// Memory of the program, as in VIPL.
	r, err := zone.Register(make([]byte, 64), mem.All)
	if err != nil {
		b.Fatal(err)
	}
	ln, err := a.Listen(ctx, "127.0.0.1:0", rdma.ListenConfig{})
	if err != nil {
		b.Fatal(err)
	}
	go func() {
		for req := range ln.Requests() {
			req.Accept(ctx, rdma.EndpointConfig{Zone: zone})
		}
	}()
	if conn, err = a.Dial(ctx, ln.Addr().String(), rdma.EndpointConfig{Zone: zone}); err != nil {
		b.Fatal(err)
	}
	return r.Slice(0, 8), r.Slice(8, 8).Remote(), conn
}
