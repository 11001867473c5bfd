package dat_test

import (
	"fmt"

	"github.com/godapl/godapl/compat/dat"
)

// A thread of C would sleep in poll(2) where this example receives from a channel.
func ExampleSleeper() {
	side := newExampleSide()
	defer dat.IAClose(side.ia, dat.CloseAbruptFlag)
	var evd dat.EVDHandle
	dat.EVDCreate(side.ia, 8, dat.HandleNull, dat.EVDSoftwareFlag, &evd)
	woken := make(chan struct{}, 1)
	s := dat.NewSleeper(func() {
		select {
		case woken <- struct{}{}:
		default: // it is awake already
		}
	})

	var event dat.Event
	var more dat.Count
	asleep, ret := s.EVDWait(evd, true, 1, &event, &more)
	fmt.Println(asleep)
	go dat.EVDPostSE(evd, &dat.Event{EventNumber: dat.SoftwareEvent})
	for asleep {
		<-woken // or one of s.Descriptors is readable
		asleep, ret = s.Again(false, &event, &more, nil)
	}
	fmt.Println(ret == dat.Success, event.EventNumber == dat.SoftwareEvent, more)
	// Output:
	// true
	// true true 0
}
