package dat

import "sync/atomic"

// EVDPending has *flag tell whether [EVDDequeue] is worth while: with 0 it would
// give [QueueEmpty]. It is for those to whom the call is dear, such as a library of C
// that is written in Go; C has no such call. Completions that are UNSIGNALLED put no
// flag up, so it is well to dequeue now and then all the same. See
// event.Dispatcher.Flag for the rest. nil takes the flag away.
func EVDPending(evdHandle EVDHandle, flag *atomic.Uint32) Return {
	d := getEVD(evdHandle)
	if d == nil {
		return badEVD
	}
	d.d.Flag(flag)
	return Success
}
