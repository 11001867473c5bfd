package flight

import (
	"math"
	"time"

	"github.com/godapl/godapl/rdma/status"
)

// Size is how many events each half keeps.
const Size = 64

// A Recorder is that of one queue pair.
type Recorder struct {
	Clock    *Clock
	Sent     Half // requests
	Received Half // receives
}

// A Half has the last events of one half. Its methods are called inside what guards that half.
type Half struct {
	next uint64 // how many there were
	tick uint32 // of the clock, at the latest event
	at   int64  // the time, as it was read last
	ring [Size]entry
}

// entry is an event in 24 bytes.
type entry struct {
	at     int64
	cookie uint64
	length uint32
	what   uint32 // kind, op<<8, status<<16
}

// Completed records the end of an operation. Without a clock, its time is exact. It calls nothing in the common
// case, and stores member by member: a structure that is built and then copied stalls the CPU.
func (h *Half) Completed(c *Clock, op status.Op, st status.Status, cookie, length uint64) {
	if c == nil || c.ticks.Load() != h.tick || h.at == 0 {
		h.look(c)
	}
	n := h.next
	h.next = n + 1
	e := &h.ring[n%Size]
	e.at, e.cookie, e.length = h.at, cookie, uint32(min(length, math.MaxUint32))
	e.what = uint32(status.FlightCompleted) | uint32(op)<<8 | uint32(st)<<16
}

// Note records an event without an operation.
func (h *Half) Note(c *Clock, kind status.FlightKind) {
	h.Completed(c, 0, 0, 0, 0)
	h.ring[(h.next-1)%Size].what = uint32(kind)
}

// look reads the time.
func (h *Half) look(c *Clock) {
	if c != nil {
		h.tick = c.ticks.Load()
	}
	h.at = time.Now().UnixNano()
}

// Events returns the events, the oldest first.
func (h *Half) Events() status.Flight {
	list := make(status.Flight, 0, min(h.next, Size))
	for i := h.next - min(h.next, Size); i != h.next; i++ {
		e := &h.ring[i%Size]
		list = append(list, status.FlightEvent{Time: time.Unix(0, e.at), Kind: status.FlightKind(e.what), Op: status.Op(e.what >> 8),
			Status: status.Status(e.what >> 16), Cookie: e.cookie, Length: uint64(e.length)})
	}
	return list
}
