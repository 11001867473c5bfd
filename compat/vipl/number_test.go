package vipl

import (
	"runtime"
	"testing"
)

// TestAFreedNumberIsFree: from the moment at which the adapter may give the key of a region to
// another one, the table has room for that.
func TestAFreedNumberIsFree(t *testing.T) {
	var h NICHandle
	if ret := OpenNic("soft-loop", &h); ret != Success {
		t.Fatal(ret)
	}
	defer CloseNic(h)
	n, b := getNIC(h), make([]byte, 64)
	var m MemHandle
	if ret := RegisterMem(h, b, 64, nil, &m); ret != Success {
		t.Fatal(ret)
	}
	r := n.memory.Get(uint32(m))
	n.mu.Lock() // DeregisterMem stops here, behind the end of the native region
	done := make(chan Return)
	go func() { done <- DeregisterMem(h, b, m) }()
	for !r.native.Freed() {
		runtime.Gosched()
	}
	if !n.memory.Put(uint32(m), &region{}) {
		t.Error("the number belongs to a region that was freed")
	}
	n.mu.Unlock()
	if ret := <-done; ret != Success {
		t.Error(ret)
	}
	if n.memory.Get(uint32(m)) == nil {
		t.Error("DeregisterMem has removed another region")
	}
}
