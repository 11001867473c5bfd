package dat_test

import (
	"sync/atomic"
	"testing"

	"github.com/godapl/godapl/compat/dat"
)

// TestACloseTellsEveryAgent: an agent that was attached with success, while another goroutine closes the adapter, is told
// of the end.
func TestACloseTellsEveryAgent(t *testing.T) {
	for name, attach := range map[string]func(ia dat.IAHandle, c dat.CNOHandle, g dat.OsWaitProxyAgent) dat.Return{
		"CNOCreate": func(ia dat.IAHandle, _ dat.CNOHandle, g dat.OsWaitProxyAgent) dat.Return {
			var c dat.CNOHandle
			return dat.CNOCreate(ia, g, &c)
		},
		"CNOModifyAgent": func(_ dat.IAHandle, c dat.CNOHandle, g dat.OsWaitProxyAgent) dat.Return {
			return dat.CNOModifyAgent(c, g)
		},
	} {
		t.Run(name, func(t *testing.T) {
			for range rounds(200, 20) {
				var ia dat.IAHandle
				async := dat.EVDAsyncExists
				var c dat.CNOHandle
				ok(t, dat.IAOpen(usual, 8, &async, &ia))
				ok(t, dat.CNOCreate(ia, dat.OsWaitProxyAgentNull, &c))
				begun, done := make(chan bool), make(chan bool)
				go func() {
					defer close(done)
					<-begun
					dat.IAClose(ia, dat.CloseAbruptFlag)
				}()
				close(begun)
				var last *atomic.Bool // whether the latest agent was told
				for {
					told := new(atomic.Bool)
					agent := dat.OsWaitProxyAgent{ProxyAgentFunc: func(any, dat.EVDHandle) { told.Store(true) }}
					if ret := attach(ia, c, agent); ret != dat.Success {
						want(t, ret, dat.InvalidHandle)
						break
					}
					last = told
				}
				if <-done; last != nil && !last.Load() {
					t.Fatal("an agent was attached, and not told of the close")
				}
			}
		})
	}
}
