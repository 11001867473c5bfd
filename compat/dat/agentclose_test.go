package dat_test

import (
	"testing"

	"github.com/godapl/godapl/compat/dat"
)

// TestCloseReleasesAgents: an agent that waits on another notification object of the adapter is released
// by the close, whichever of the two ends first. One that comes to wait after the close finds no object.
func TestCloseReleasesAgents(t *testing.T) {
	for range 20 { // the order of their ends is by chance
		var ia dat.IAHandle
		var async dat.EVDHandle
		ok(t, dat.IAOpen(usual, 8, &async, &ia))
		const agents = 3
		running, done := make(chan bool), make(chan dat.Return, agents)
		var last dat.CNOHandle // nothing triggers it
		ok(t, dat.CNOCreate(ia, dat.OsWaitProxyAgentNull, &last))
		for range agents {
			on := last
			agent := dat.OsWaitProxyAgent{ProxyAgentFunc: func(dat.Pvoid, dat.EVDHandle) {
				running <- true
				var h dat.EVDHandle
				done <- dat.CNOWait(on, second, &h)
			}}
			ok(t, dat.CNOCreate(ia, agent, &last))
			var h dat.EVDHandle
			ok(t, dat.EVDCreate(ia, 4, last, dat.EVDSoftwareFlag, &h))
			ok(t, dat.EVDPostSE(h, &dat.Event{EventNumber: dat.SoftwareEvent}))
			<-running
			ok(t, dat.EVDModifyCNO(h, dat.HandleNull)) // its end would release the next agent, too
		}
		ok(t, dat.IAClose(ia, dat.CloseAbruptFlag))
		for range agents {
			if got := <-done; got.Type() != dat.InvalidHandle {
				ok(t, got)
			}
		}
	}
}
