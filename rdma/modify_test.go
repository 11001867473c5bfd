package rdma_test

import (
	"testing"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mem"
)

// TestModifyRegion: a region has other rights under the same keys.
func TestModifyRegion(t *testing.T) {
	onEveryPath(t, func(t *testing.T, name string) {
		x, y := connect(t, name)
		r, err := y.zone.Alloc(4096, mem.LocalRead|mem.RemoteRead)
		must(t, err)
		remote := r.Remote()
		if err := r.Modify(mem.All); err != nil {
			wantCode(t, err, rdma.ErrUnsupported, "register the memory again")
			return
		}
		if r.Rights() != mem.All || r.Remote().Key != remote.Key {
			t.Errorf("%v, key %#x, was %#x", r, r.Remote().Key, remote.Key)
		}
		if _, err := x.conn.Write(within(t), x.mem.Slice(0, 8), remote); err != nil {
			t.Error(err)
		}
		must(t, r.Modify(mem.LocalRead))
		if r.RemoteKey() != 0 || r.Remote().Key != 0 || r.Key() == 0 {
			t.Errorf("%v has the remote key %#x", r, r.RemoteKey())
		}
		wantCode(t, y.conn.PostRecv(rdma.Recv{Into: r.Slice(0, 8)}), rdma.ErrPrivileges, "local-write")
		wantCode(t, r.Modify(0x80), rdma.ErrInvalid, "unknown bits")
		must(t, r.Free())
		wantCode(t, r.Modify(mem.Local), rdma.ErrClosed, "freed")
	})
}
