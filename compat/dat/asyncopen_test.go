package dat

import (
	"sync"
	"testing"
)

// TestErrorsBesideTheOpen: an adapter may report an error before the open has found the dispatcher for it.
func TestErrorsBesideTheOpen(t *testing.T) {
	for range 100 {
		a := &ia{objects: map[Handle]func(){}}
		a.object.ia = a
		var none EVDHandle
		var both sync.WaitGroup
		both.Go(func() { a.tell(AsyncErrorProviderInternalError, 0, IAOtherError) })
		if ret := a.openAsync(4, &none, nil); ret != Success {
			t.Error(ret)
		}
		both.Wait()
		a.async.end()
	}
}
