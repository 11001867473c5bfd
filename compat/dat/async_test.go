package dat

import (
	"testing"

	"github.com/godapl/godapl/rdma"
)

// TestAsyncOfAFreedEndpoint: the adapter may report an error about an endpoint after
// the program has freed it. That must not become an event without an endpoint.
func TestAsyncOfAFreedEndpoint(t *testing.T) {
	must := func(ret Return) {
		t.Helper()
		if ret != Success {
			t.Fatal(ret)
		}
	}
	var (
		async, events EVDHandle
		adapter       IAHandle
		zone          PZHandle
		queue         SRQHandle
		h             EPHandle
		event         Event
		p             EPParam
	)
	must(IAOpen("soft-loop", 8, &async, &adapter))
	defer IAClose(adapter, CloseAbruptFlag)
	must(PZCreate(adapter, &zone))
	must(EVDCreate(adapter, 8, HandleNull, EVDDTOFlag, &events))
	must(SRQCreate(adapter, zone, &SRQAttr{MaxRecvDTOS: 4, MaxRecvIOV: 1}, &queue))
	must(EPCreate(adapter, zone, events, events, HandleNull, nil, &h))
	must(EPQuery(h, EPFieldAll, &p))
	must(EPFree(h))
	must(EPCreateWithSRQ(adapter, zone, events, events, HandleNull, queue, &p.EPAttr, &h))
	e := getEP(h)
	tell := func(kind rdma.AsyncKind) { e.ia.asynchronous(&rdma.AsyncError{Kind: kind, Endpoint: e.native}) }
	kinds := []rdma.AsyncKind{rdma.AsyncLastReceive, rdma.AsyncEndpointBroken, rdma.AsyncHighWatermark}
	for _, kind := range kinds {
		tell(kind)
		must(EVDDequeue(async, &event))
		if event.EventNumber != AsyncErrorEPBroken || event.EventData.AsynchErrorEventData.DatHandle != Handle(h) {
			t.Errorf("%v: event %#x of %#x", kind, event.EventNumber, event.EventData.AsynchErrorEventData.DatHandle)
		}
	}
	must(EPFree(h))
	for _, kind := range kinds {
		tell(kind)
		if ret := EVDDequeue(async, &event); ret.Type() != QueueEmpty {
			t.Errorf("%v, after the end: %v, event %#x", kind, ret, event.EventNumber)
		}
	}
}
