package dat_test

import (
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/godapl/godapl/compat/dat"
)

// TestADispatcherHasOneNotificationObject: however many goroutines move a dispatcher between notification
// objects and free those, an event triggers the object that EVDQuery names, and no other keeps a trace of it.
func TestADispatcherHasOneNotificationObject(t *testing.T) {
	ia, _ := open(t, usual)
	random := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		h := evd(t, ia, 4, dat.EVDSoftwareFlag)
		objects := make([]dat.CNOHandle, 3)
		var all sync.WaitGroup
		for i := range objects {
			ok(t, dat.CNOCreate(ia, dat.OsWaitProxyAgentNull, &objects[i]))
		}
		for i := range objects {
			free := random.IntN(4) == 0
			all.Go(func() {
				dat.EVDModifyCNO(h, objects[i])
				if free && dat.CNOFree(objects[i]) == dat.Success {
					objects[i] = dat.HandleNull
				}
			})
		}
		all.Wait()
		var p dat.EVDParam
		ok(t, dat.EVDQuery(h, dat.EVDFieldAll, &p))
		ok(t, dat.EVDPostSE(h, &dat.Event{EventNumber: dat.SoftwareEvent}))
		for _, c := range objects {
			if c == dat.HandleNull {
				continue
			}
			var from dat.EVDHandle
			if ret := dat.CNOTrigger(c, &from); (c == p.CNOHandle) != (ret == dat.Success && from == h) {
				t.Fatalf("the dispatcher has %#x, and %#x tells %v, %#x", p.CNOHandle, c, ret, from)
			}
			if c == p.CNOHandle {
				want(t, dat.CNOFree(c), dat.InvalidState)
			}
		}
		ok(t, dat.EVDFree(h))
		for _, c := range objects {
			if c != dat.HandleNull {
				ok(t, dat.CNOFree(c))
			}
		}
	}
}

// TestAFreedObjectHasNoTrigger: a call that meets CNOFree finds no trigger, as nobody has made one. With success it
// would tell that the adapter is closed.
func TestAFreedObjectHasNoTrigger(t *testing.T) {
	ia, _ := open(t, usual)
	for range 5000 {
		var c dat.CNOHandle
		ok(t, dat.CNOCreate(ia, dat.OsWaitProxyAgentNull, &c))
		var all sync.WaitGroup
		for range 3 {
			all.Go(func() {
				var from dat.EVDHandle
				for {
					switch ret := dat.CNOTrigger(c, &from); ret.Type() {
					case dat.QueueEmpty:
						continue
					case dat.InvalidHandle:
					default:
						t.Errorf("%v", ret)
					}
					return
				}
			})
		}
		for dat.CNOFree(c) != dat.Success { // in use
		}
		if all.Wait(); t.Failed() {
			return
		}
	}
}
