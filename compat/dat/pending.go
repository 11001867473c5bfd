package dat

import "sync/atomic"

// EVDPending keeps *flag non-zero while [EVDDequeue] may find an event: with 0 it would
// return [QueueEmpty]. It is an extension without a counterpart in C, for callers for
// which a call is expensive, such as a C library that is written in Go. UNSIGNALLED
// completions do not set the flag, so dequeue from time to time in any case. See
// event.Provider.Flag. nil removes the flag.
func EVDPending(evdHandle EVDHandle, flag *atomic.Uint32) Return {
	d := getEVD(evdHandle)
	if d == nil {
		return badEVD
	}
	feed(d.d).Flag(flag)
	return Success
}
