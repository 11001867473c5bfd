package rdmatest

import (
	"testing"
	"testing/synctest"

	"github.com/godapl/godapl/internal/hca"
)

// changing is a region whose keys and end a test decides.
type changing struct {
	hca.MR
	rkey  hca.Key
	close error
}

func (c *changing) LKey() hca.Key           { return 3 }
func (c *changing) RKey() hca.Key           { return c.rkey }
func (c *changing) Addr() uint64            { return 64 }
func (c *changing) Modify(hca.Access) error { return nil }
func (c *changing) Close() error            { return c.close }

// TestRevokeKnowsTheRegion: it finds a region that gets its remote rights by Modify, and one whose Close has failed, and
// it gives back no local rights that the program has taken away.
func TestRevokeKnowsTheRegion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := NewWorld(t, 1)
		a := &worldAdapter{h: &Host{w: w, name: "h"}, regions: map[hca.Key]hca.Memory{}, lent: map[hca.Key]*worldMR{}, at: map[hca.Key]uint64{}}
		below := &changing{close: hca.InUse}
		r := a.keep(below, hca.Memory{}, hca.LocalRead|hca.LocalWrite).(*worldMR)
		below.rkey = 7
		if err := r.Modify(hca.LocalRead | hca.RemoteRead); err != nil {
			t.Fatal(err)
		}
		if r.access != hca.LocalRead|hca.RemoteRead || a.lent[7] != r {
			t.Errorf("after Modify: rights %v, lent %v", r.access, a.lent)
		}
		if err := r.Close(); err != hca.InUse || a.lent[7] != r {
			t.Errorf("after a Close that failed (%v): lent %v", err, a.lent)
		}
		below.close = nil
		if err := r.Close(); err != nil || len(a.lent) != 0 {
			t.Errorf("after Close (%v): lent %v", err, a.lent)
		}
	})
}
