package hca

import (
	"time"

	"github.com/godapl/godapl/rdma/status"
)

// OpStats counts operations of one kind that succeeded.
type OpStats struct {
	N     uint64
	Bytes uint64 // as WC.Len counts them
}

// QPStats is what a queue pair has done so far. Counts never decrease, also when the
// connection ends or the queue pair is closed.
type QPStats struct {
	// Ops counts successes by Op: the operations of this side, and its receives.
	// Suppressed successes are among them.
	Ops [16]OpStats
	// Failed counts the other completions by Status, flushes among them.
	Failed [16]uint64
	// ReceiveWaits counts messages that found no receive and had to wait for one, and
	// ReceiveWait is how long they waited. A wait counts as soon as it begins, with the time
	// that it has taken so far. ReceiveWaitNow is the time of the wait that goes on, and 0 only
	// if there is none. Only where this side knows it.
	ReceiveWaits                uint64
	ReceiveWait, ReceiveWaitNow time.Duration
	// SendStalls counts how often the transport had no room for what was to be sent, and
	// SendStall is for how long. SendStallNow is how long it has taken nothing, and 0 only if
	// it has room.
	SendStalls              uint64
	SendStall, SendStallNow time.Duration
	// SendHigh is the largest number of requests that waited in the send queue at the
	// same time. A request that is carried out while it is posted does not wait.
	SendHigh uint64
	// Retransmits counts what the transport has sent again, if Resends is set.
	Retransmits uint64
	Resends     bool
	// Requests and Receives are how many are not complete now, as far as this side knows: see Settler.
	// Receives of a shared queue do not count.
	Requests, Receives int
	// Latency has, by Op, the times from post to completion of requests that succeeded, with
	// QPConfig.Latency; nil for an operation that has not been done.
	Latency [OpRecv]*Latency
}

// QPStatsReader is an optional interface of a queue pair.
type QPStatsReader interface {
	// ReadStats fills s in. It enters the gates or locks that guard the counters, for a
	// moment, and drives no progress. False: it did not get in with the patience that
	// the look has, and s has not changed. It may be called at any time, also after Close.
	ReadStats(s *QPStats, p *Patience) bool
}

// Settler is an optional interface of a queue pair on which requests can be done without being
// complete, because nobody looks.
type Settler interface {
	// Settle completes them, as Outstanding does. It waits for others only with the patience
	// that the look has. It may be called at any time, also after Close.
	Settle(p *Patience)
}

// FlightReader is an optional interface of a queue pair with QPConfig.Record.
type FlightReader interface {
	// ReadFlight returns the last events of requests, those of receives, and the requests that are
	// not complete, MaxOutstanding at most, if this side has a list of them. Each is in order. For locks, time and the result see
	// QPStatsReader.
	ReadFlight(p *Patience) (requests, receives, outstanding Flight, ok bool)
}

// Latency is a histogram.
type Latency = status.Latency

// Flight is a list of events.
type Flight = status.Flight

// MaxOutstanding is how many requests that are not complete ReadFlight reports.
const MaxOutstanding = 16

// CQStats is what a completion queue has done so far.
type CQStats struct {
	Depth      int    // CQ.Depth
	Taken      uint64 // entries that the consumer has taken
	Waiting    uint64 // entries that wait for it now
	High       uint64 // the largest number that a poll has found
	EmptyPolls uint64 // polls that found no entry
	Arms       uint64 // calls of Arm and of DescriptorArmer
	Wakes      uint64 // calls of Notify
	Overflows  uint64 // entries were lost, once per generation of connections; a device's queue ends with the first
}

// CQStatsReader is an optional interface of a completion queue.
type CQStatsReader interface {
	// ReadStats returns the counts. The counts are not of one instant. If it does not get
	// in with the patience that the look has, they are those of the call before. It may be
	// called at any time, also after Close.
	ReadStats(p *Patience) CQStats
}
