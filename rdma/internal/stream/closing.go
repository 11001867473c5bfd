package stream

import (
	"sync"
	"time"

	"github.com/godapl/godapl/rdma"
)

// closeTime bounds how long the Close of a connection waits for its end.
const closeTime = time.Second

// slow are the connections, by adapter, for whose end Close has not waited any longer. http.Server.Shutdown, for
// example, closes connections one after another: if the peers are dead, each Close would wait its whole time.
var slow = struct {
	sync.Mutex
	of map[*rdma.Adapter]int
}{of: map[*rdma.Adapter]int{}}

// closeHalvings is how often the time of Close is halved, at most.
const closeHalvings = 6

// AwaitGone is how Close waits until a connection has ended, which closes gone. It waits for half as long with each connection of
// the adapter that Close has left behind and that has not ended yet.
func AwaitGone(a *rdma.Adapter, gone <-chan struct{}) {
	patience := time.NewTimer(closeTime >> min(behind(a, 0), closeHalvings))
	defer patience.Stop()
	select {
	case <-gone:
		return
	case <-patience.C:
	}
	behind(a, 1)
	go func() { // gone is closed after Config.Linger at the latest
		<-gone
		behind(a, -1)
	}()
}

// behind counts connections that are left behind, and returns how many there are.
func behind(a *rdma.Adapter, more int) int {
	slow.Lock()
	defer slow.Unlock()
	n := slow.of[a] + more
	if slow.of[a] = n; n == 0 {
		delete(slow.of, a)
	}
	return n
}
