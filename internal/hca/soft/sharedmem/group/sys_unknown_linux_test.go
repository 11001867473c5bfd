package group

import (
	"testing"

	"golang.org/x/sys/unix"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/core"
)

// TestUnknownProcessesShareNothing: two may have the same number and, if one of them wants that, the same secret.
func TestUnknownProcessesShareNothing(t *testing.T) {
	defer Everywhere()()
	a := core.NewAdapter(core.NewAttr("test", "", 0), hca.Options{})
	defer a.Shutdown(func() {})
	queue, err := a.NewCQ(hca.CQConfig{Depth: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer queue.Close()
	cq := queue.(*core.CQ)
	place, grouped, fds := new(Groups).enter(&core.QP{Adapter: a, SendCQ: cq, RecvCQ: cq}, Process{}, new(note))
	if grouped || fds != nil {
		t.Error("an unknown process gets the descriptors of a group")
	}
	place.leave()
	g, _, _ := still(t, 1)
	var rings Ringers
	var opened [2]*ringer
	for i := range opened {
		var fd [2]int
		for k, of := range []int{g.page.seg.FD(), g.event} {
			if fd[k], err = unix.Dup(of); err != nil {
				t.Fatal(err)
			}
		}
		if opened[i], err = rings.open(peerGroup{Number: 1}, fd[0], fd[1]); err != nil {
			t.Fatal(err)
		}
	}
	if opened[0] == opened[1] {
		t.Error("two connections of unknown processes ring the same group")
	}
	for _, r := range opened {
		r.close()
	}
	if len(rings.of) != 0 {
		t.Errorf("%d stay open", len(rings.of))
	}
}
