package stream

import "github.com/godapl/godapl/rdma"

// Event is what a connection hears of: a completion, its end, or, the zero Event, a call to look.
type Event struct {
	Err    error // of a failed operation, or of the end
	Cookie uint64
	Number uint32 // immediate data
	Length int32
	Kind   Kind
	Op     rdma.Op
	Back   bool // a receive has come back, whatever has become of it
}

// Kind is the kind of an Event.
type Kind uint8

// The kinds of events.
const (
	Looked  Kind = iota // a deadline or a call of the program needs the waiting goroutine
	Posted              // an operation of this side is done
	Arrived             // a message is in the receive of the cookie
	Counted             // a write with immediate data has taken the receive of the cookie
	Foreign             // the peer's operation Op, which no protocol here uses
	Flushed             // an operation ended with the connection
	Failed              // an operation failed
	Established
	Ended
)

// Completed converts a completion.
func Completed(e *Event, c *rdma.Completion) {
	*e = Event{Cookie: c.Cookie, Length: int32(c.Length), Number: c.Immediate, Op: c.Op, Back: c.Op.IsRecv()}
	switch {
	case c.Status == rdma.StatusFlushed:
		e.Kind = Flushed
	case c.Status != rdma.StatusOK:
		e.Kind, e.Err = Failed, c.Err()
	case c.Op == rdma.OpRecvWriteImm:
		e.Kind = Counted
	case c.Op == rdma.OpRecv:
		e.Kind = Arrived
	case c.Op.IsRecv():
		e.Kind = Foreign
	default:
		e.Kind = Posted
	}
}

// Changed converts an event of the connection.
func Changed(e *Event, c *rdma.ConnEvent) {
	*e = Event{Kind: Ended, Err: c.Err}
	if c.Kind == rdma.Established {
		e.Kind = Established
	}
}
