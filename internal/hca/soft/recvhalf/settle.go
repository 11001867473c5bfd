package recvhalf

import (
	"github.com/godapl/godapl/internal/hca/soft/core"
	"github.com/godapl/godapl/internal/hca/soft/gate"
	"github.com/godapl/godapl/internal/hca/soft/sendhalf"
)

// A Half is the receive half of a connection with a gate of its own.
type Half interface {
	// Flushed reports whether the receives have been flushed. The caller is inside the gate.
	Flushed() bool
	// Leave flushes them if the connection is over, and leaves the gate.
	Leave()
}

// Settle runs both halves of a connection that is over until both have flushed. Nobody is inside either gate
// for the connection's own work then, except for requests that are posted later: they are flushed at once. It
// waits for goroutines inside a gate, so the caller is a goroutine of its own.
func Settle(q *core.QP, s *sendhalf.Half, rx *gate.Recv, h Half) {
	for over := false; !over; {
		InsideBoth(q, s, rx, h, func() {
			if over = h.Flushed() && q.Flush.Send; !over {
				s.PumpSend()
			}
		})
	}
}

// LeaveTo leaves the gate for a caller that was inside for another reason than to receive. Work that others have
// marked is left to r.
func LeaveTo(rx *gate.Recv, r interface{ Schedule() }) {
	marked := false
	for rx.Leave() {
		marked = true
	}
	if marked {
		r.Schedule()
	}
}

// InsideBoth calls f inside both gates.
func InsideBoth(q *core.QP, s *sendhalf.Half, rx *gate.Recv, h Half, f func()) {
	rx.Lock()
	q.Tx.Lock()
	f()
	s.LeaveSend()
	h.Leave()
}
