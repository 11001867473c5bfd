package debug

import (
	"encoding/json"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/rdmatest"
)

// TestLookBehindALook: a request that waits until another look is over tells the time of its own look. Rates and idle
// times are reckoned from that.
func TestLookBehindALook(t *testing.T) {
	a, _ := rdmatest.Pair(t)
	v := &viewer{adapters: []*rdma.Adapter{a.Endpoint().Adapter()}}
	v.mu.Lock() // a look that takes long
	body := make(chan []byte)
	go func() { body <- get(v, "?format=json").Body.Bytes() }()
	for !behind() {
		runtime.Gosched()
	}
	over := time.Now()
	v.mu.Unlock()
	var s Snapshot
	if err := json.Unmarshal(<-body, &s); err != nil {
		t.Fatal(err)
	}
	if s.Time.Before(over) {
		t.Errorf("the look was at %v, and the one before it ended at %v", s.Time, over)
	}
}

// behind reports whether a request waits for the lock of the looks.
func behind() bool {
	all := make([]byte, 1<<20)
	for g := range strings.SplitSeq(string(all[:runtime.Stack(all, true)]), "\n\n") {
		if strings.Contains(g, "debug.(*viewer).serve") && strings.Contains(g, "sync.(*Mutex).Lock") {
			return true
		}
	}
	return false
}
