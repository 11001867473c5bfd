package hcatest

import (
	"runtime"
	"time"
)

// turns counts the turns of a loop that waits for something without parking on it. While a goroutine is ready to run, Go
// looks only every ten milliseconds for what has come over the network, so a loop that does nothing but call Gosched
// delays what it waits for.
type turns int

// next lets other goroutines run: for a moment longer when there have been many turns without success.
func (n *turns) next() {
	if *n++; *n%16 != 0 {
		runtime.Gosched()
		return
	}
	<-time.After(100 * time.Microsecond)
}
