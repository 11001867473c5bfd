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

// TestALentDispatcherThatLostErrorsIsDead: a dispatcher that collects the errors of its own open by way of another one,
// which it was lent to, has nowhere to tell that it was full.
func TestALentDispatcherThatLostErrorsIsDead(t *testing.T) {
	exists, lent := EVDAsyncExists, EVDHandle(HandleNull)
	var owner, borrower IAHandle
	if ret := IAOpen("soft-loop", 1, &exists, &owner); ret != Success {
		t.Fatal(ret)
	}
	defer IAClose(owner, CloseAbruptFlag)
	if ret := EVDCreate(owner, 1, HandleNull, EVDAsyncFlag, &lent); ret != Success {
		t.Fatal(ret)
	}
	if ret := IAOpen("soft-loop", 1, &lent, &borrower); ret != Success {
		t.Fatal(ret)
	}
	defer IAClose(borrower, CloseAbruptFlag)
	for range 2 { // the second finds no room
		getIA(borrower).tell(AsyncErrorProviderInternalError, Handle(borrower), IAOtherError)
	}
	var event Event
	var more Count
	if ret := EVDWait(lent, 0, 1, &event, &more); ret != failure(InvalidState, InvalidStateEVDUnwaitable) {
		t.Fatal(ret)
	}
	if ret := EVDDequeue(lent, &event); ret != Success {
		t.Fatal(ret)
	}
}
