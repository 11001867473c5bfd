package dat

import (
	"testing"

	"github.com/godapl/godapl/rdma/event"
)

// TestAMoveToAFreedObject: a notification object may be freed after EVDModifyCNO has found it. The call refuses it then,
// and the dispatcher keeps its present object.
func TestAMoveToAFreedObject(t *testing.T) {
	a := &ia{objects: map[Handle]func(){}}
	a.object.ia = a
	var evds [1]EVDHandle
	if ret := a.openAsync(4, &evds[0], nil); ret != Success {
		t.Fatal(ret)
	}
	d := a.async
	defer d.end()
	makeCNO := func() *cno {
		set := event.NewSet()
		t.Cleanup(func() { set.Close() })
		return &cno{set: set, evds: map[event.Member]EVDHandle{}}
	}
	old, freed := makeCNO(), makeCNO()
	for range 2 { // the second time, too
		if !d.modifyCNO(old) || len(old.evds) != 1 {
			t.Fatal("the dispatcher does not enter an object")
		}
	}
	freed.freed = true
	if d.modifyCNO(freed) || d.cno != old || len(old.evds) != 1 || len(freed.evds) != 0 {
		t.Errorf("%d dispatchers are in the object that is left, and %d in the freed one", len(old.evds), len(freed.evds))
	}
	if !d.modifyCNO(nil) || d.cno != nil || len(old.evds) != 0 {
		t.Error("the dispatcher does not leave")
	}
}
