package dat

import (
	"sync"
	"sync/atomic"
	"testing"
)

// TestADispatcherThatLostErrorsStaysUnwaitable: when asynchronous errors were lost, the adapter's dispatcher is dead, and
// EVDClearUnwaitable does not change that, also at the very moment.
func TestADispatcherThatLostErrorsStaysUnwaitable(t *testing.T) {
	var async EVDHandle
	var adapter IAHandle
	if ret := IAOpen("soft-loop", 1, &async, &adapter); ret != Success {
		t.Fatal(ret)
	}
	defer IAClose(adapter, CloseAbruptFlag)
	d := getEVD(async)
	lose := func() { d.ia.tell(AsyncErrorProviderInternalError, d.ia.handle, IAOtherError) }
	lose() // there is no room for another
	var others sync.WaitGroup
	var enough atomic.Bool
	for range 3 {
		others.Go(func() {
			for !enough.Load() {
				EVDClearUnwaitable(async)
			}
		})
	}
	for i := range 50000 {
		var event Event
		var more Count
		lose()
		if ret := EVDWait(async, 0, 1, &event, &more); ret != failure(InvalidState, InvalidStateEVDUnwaitable) {
			t.Errorf("round %d: %v", i, ret)
			break
		}
		if ret := EVDDequeue(async, &event); ret != Success { // that still works, and makes room
			t.Error(ret)
			break
		}
		d.mu.Lock()
		d.dead = false
		d.mu.Unlock()
		lose()
	}
	enough.Store(true)
	others.Wait()
}
