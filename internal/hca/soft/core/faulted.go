package core

import (
	"fmt"

	"github.com/godapl/godapl/internal/hca"
)

// Faulted reports a fault in registered memory to the program, once for each queue pair. It may be called
// inside gates.
func (q *QP) Faulted(at uint64, doing string) {
	if q.faultReported.Swap(true) {
		return // a request that waits for its completion meets the fault again
	}
	err := hca.NewError(hca.Privileges, doing, fmt.Sprintf("memory at %#x", at),
		"its page does not allow the access any more: memory has to stay mapped, with the rights it is registered for, until its region is freed")
	q.Adapter.Log.Error("registered memory cannot be accessed", "error", err)
	q.Adapter.Engine.Do(func() {
		q.Adapter.Async(hca.AsyncEvent{Kind: hca.AsyncQPBroken, Object: q.Owner, Err: err})
	})
}
