//go:build linux || darwin

package dat_test

import (
	"fmt"

	"github.com/godapl/godapl/compat/dat"
)

func ExampleFD() {
	s := newExampleSide()
	defer dat.IAClose(s.ia, dat.CloseAbruptFlag)
	var cno dat.CNOHandle
	var fd dat.FD
	ret := dat.CNOFDCreate(s.ia, &fd, &cno)
	dat.EVDModifyCNO(s.evd, cno)
	dat.EVDPostSE(s.evd, &dat.Event{EventNumber: dat.SoftwareEvent})
	// poll(2) says that fd is readable
	var evd dat.EVDHandle
	ret = dat.CNOTrigger(cno, &evd)
	fmt.Println(ret == dat.Success, evd == s.evd, fd >= 0)
	// Output: true true true
}
