package dat_test

import (
	"fmt"

	"github.com/godapl/godapl/compat/dat"
)

func ExampleAhead() {
	server, client := newExampleSide(), newExampleSide()
	defer dat.IAClose(client.ia, dat.CloseAbruptFlag)
	defer dat.IAClose(server.ia, dat.CloseAbruptFlag)
	var psp dat.PSPHandle
	var qual dat.ConnQual
	var evd dat.EVDHandle
	var ep dat.EPHandle
	dat.EVDCreate(client.ia, 8, dat.HandleNull, dat.EVDDTOFlag, &evd) // for completions alone
	dat.EPCreate(client.ia, client.pz, evd, evd, client.evd, nil, &ep)
	dat.PSPCreateAny(server.ia, &qual, server.evd, dat.PSPConsumerFlag, &psp)
	dat.EPConnect(ep, exampleHost, qual, dat.TimeoutInfinite, 0, nil, dat.QOSBestEffort, dat.ConnectDefaultFlag)
	dat.CRAccept(server.next().EventData.CRArrivalEventData.CRHandle, server.ep, 0, nil)
	client.next()

	ahead := dat.EVDAhead(evd, 16)
	iov, rmr := [1]dat.LMRTriplet{client.segment(0, 8)}, server.remote(0, 8)
	for i := range uint64(4) {
		dat.EPPostRDMAWrite(ep, 1, iov[:], dat.DTOCookie{As64: i}, &rmr, dat.CompletionDefaultFlag)
	}
	var event dat.Event
	var nmore dat.Count
	dat.EVDWait(evd, dat.TimeoutInfinite, 4, &event, &nmore) // takes the first when all are complete
	n, more, ret := ahead.Take()
	ahead.Event(0, &event) // one is given to the program,
	fmt.Println(ret == dat.Success, n, more, event.EventData.DTOCompletionEventData.UserCookie.As64)
	ahead.PutBack(1) // and the others are wanted where they came from
	ret = dat.EVDWait(evd, 0, 2, &event, &more)
	fmt.Println(ret == dat.Success, more, event.EventData.DTOCompletionEventData.UserCookie.As64)
	// Output:
	// true 3 0 1
	// true 1 2
}
