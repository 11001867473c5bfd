package debug_test

import (
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/godapl/godapl/rdma/debug"
	"github.com/godapl/godapl/rdma/rdmatest"
)

// TestRemoveBehindALock: a program may remove what it shows while it holds the lock that the facts are
// under. A look waits for that lock just then.
func TestRemoveBehindALock(t *testing.T) {
	a, _ := rdmatest.Pair(t)
	var mu sync.Mutex
	looks := make(chan struct{}, 1)
	remove := debug.Show("something locked", func() []debug.Fact {
		looks <- struct{}{}
		mu.Lock()
		defer mu.Unlock()
		return nil
	})
	mu.Lock()
	looked := make(chan int)
	go func() {
		w := httptest.NewRecorder()
		debug.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/debug/rdma/", nil))
		looked <- w.Code
	}()
	<-looks
	debug.Publish(a.Endpoint().Adapter())()
	remove()
	mu.Unlock()
	if code := <-looked; code != http.StatusOK {
		t.Errorf("status %d", code)
	}
}
