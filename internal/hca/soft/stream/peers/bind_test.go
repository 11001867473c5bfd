package peers_test

import (
	"testing"

	"github.com/godapl/godapl/internal/hca"
)

// A bind is carried out while the read before it is under way. If the read fails, the bind is reported as
// flushed, and so it must not grant anything.
func TestBindBehindAReadThatFails(t *testing.T) {
	t.Parallel()
	s := newStation(t, hca.Options{})
	for _, r := range roles {
		t.Run(r.name, func(t *testing.T) {
			e, p := s.open(t, r, depths{4, 4})
			p.write(write(1, 0, "")) // now this side may send
			b := make([]byte, 64)
			region, err := s.pd.Register(hca.Memory{Bytes: b}, hca.AllAccess)
			if err != nil {
				t.Fatal(err)
			}
			w, err := s.pd.NewWindow(hca.ZoneWindow)
			if err != nil {
				t.Fatal(err)
			}
			e.readAt(0, 8)
			bind := &hca.Bind{MW: w, MR: region, Addr: region.Addr(), Len: 64, Access: hca.RemoteRead}
			e.post(hca.SendWR{Op: hca.OpBind, Bind: bind}, hca.StatusFlushed)
			e.post(hca.SendWR{Op: hca.OpWrite, Local: e.mem.src.segment(0, 16), Remote: 0x20000, RKey: 0xabcd03}, hca.StatusFlushed, hca.StatusOK)
			for { // the write is behind the bind
				if seg, err := p.next(); err != nil {
					t.Fatal(err)
				} else if seg.TO == 0x20000 {
					break
				}
			}
			p.reset()
			e.over(hca.EventBroken)
			if err := region.Close(); err != nil {
				t.Errorf("close a region that a flushed bind was to cover: %v", err)
			}
			if err := w.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}
