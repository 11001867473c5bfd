package rdma_test

import (
	"testing"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mem"
)

// TestAdoptRegion: a region moves between zones under its keys.
func TestAdoptRegion(t *testing.T) {
	onEveryPath(t, func(t *testing.T, name string) {
		x, y := connect(t, name)
		other, err := y.adapter.NewZone()
		must(t, err)
		for _, own := range []bool{true, false} {
			var r *mem.Region
			if own {
				r, err = other.Alloc(4096, mem.All)
			} else {
				r, err = other.Register(make([]byte, 4096), mem.All)
			}
			must(t, err)
			remote := r.Remote()
			moved, err := y.zone.Adopt(r, mem.All)
			if err != nil {
				wantCode(t, err, rdma.ErrUnsupported, "register the memory again")
				return
			}
			if !r.Freed() || moved.Remote() != remote || moved.ZoneID() == r.ZoneID() {
				t.Errorf("%v has become %v, %v was %v", r, moved, moved.Remote(), remote)
			}
			x.mem.WriteAt([]byte("moved"), 0)
			if _, err := x.conn.Write(within(t), x.mem.Slice(0, 5), remote); err != nil {
				t.Fatal(err)
			}
			must(t, y.conn.PostRecv(rdma.Recv{Into: moved.Slice(8, 8)}))
			wantCode(t, y.conn.PostRecv(rdma.Recv{Into: r.Slice(0, 8)}), rdma.ErrPrivileges, "freed")
			must(t, x.conn.PostSend(rdma.Send{From: x.mem.Slice(1, 3)}))
			take(t, x.conn.SendCompletions(), 1)
			take(t, y.conn.RecvCompletions(), 1)
			if got := string(moved.Bytes()[:11]); got != "moved\x00\x00\x00ove" {
				t.Fatalf("%q", got)
			}
			_, err = y.zone.Adopt(r, mem.All)
			wantCode(t, err, rdma.ErrClosed, "a region that has moved")
			_, err = x.zone.Adopt(moved, mem.All)
			wantCode(t, err, rdma.ErrInvalid, "a region of another adapter")
			_, err = other.Adopt(moved, 0x80)
			wantCode(t, err, rdma.ErrInvalid, "unknown rights")
			must(t, moved.Free())
		}
		must(t, other.Close()) // nothing is left in it
		r, err := y.zone.Register(make([]byte, 64), mem.All)
		must(t, err)
		last, err := y.adapter.NewZone()
		must(t, err)
		remote := r.Remote()
		_, err = last.Adopt(r, mem.All)
		must(t, err)
		if _, err := x.conn.Write(within(t), x.mem.Slice(0, 5), remote); err == nil && x.conn.Acked() {
			t.Error("a peer of the former zone has written")
		}
	})
}
