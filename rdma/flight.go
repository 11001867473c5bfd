package rdma

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/flight"
	"github.com/godapl/godapl/rdma/status"
)

// Flight is what the flight recorder of a connection holds, the oldest event first. It prints as
// lines of text, and logs as a list of them.
type Flight = status.Flight

// FlightEvent is an event in the life of a connection.
type FlightEvent = status.FlightEvent

// FlightKind is what a FlightEvent tells.
type FlightKind = status.FlightKind

// Kinds of events.
const (
	// FlightConnecting: the connection was requested.
	FlightConnecting = status.FlightConnecting
	// FlightAccepting: the peer's request was accepted.
	FlightAccepting = status.FlightAccepting
	// FlightEstablished: the connection was made.
	FlightEstablished = status.FlightEstablished
	// FlightShutdown: this side asked for a graceful end.
	FlightShutdown = status.FlightShutdown
	// FlightAbort: this side asked for an abrupt end.
	FlightAbort = status.FlightAbort
	// FlightEnded: the connection ended in order.
	FlightEnded = status.FlightEnded
	// FlightBroken: the connection was lost.
	FlightBroken = status.FlightBroken
	// FlightCompleted: an operation completed. Op, Status, Cookie and Length describe it.
	FlightCompleted = status.FlightCompleted
	// FlightReceiveMissing: a message of the peer found no receive, and waits for one.
	FlightReceiveMissing = status.FlightReceiveMissing
	// FlightReceiveFound: that message has one.
	FlightReceiveFound = status.FlightReceiveFound
	// FlightStall: the transport had no room for what this side had to send.
	FlightStall = status.FlightStall
	// FlightOutstanding: an operation that was posted is not complete at the time of the look.
	FlightOutstanding = status.FlightOutstanding
)

// flightSize is how many events Flight returns.
const flightSize = flight.Size

// Flight returns the last 64 events of the connection, the oldest first: how it was made and ended,
// operations that completed, messages that found no receive, and times at which the transport had no
// room. Up to 16 operations that are posted and not complete follow (not on devices). It returns nil
// unless [OpenConfig].FlightRecorder is set.
//
// Operations are recorded when they complete. Two events of one direction are in their order; between
// requests and receives the order is exact to ten milliseconds. If the connection breaks, the error
// has the events: see [Error].Flight, which %+v prints.
//
// Flight enters the gates of the connection as [Conn.Stats] does. If it does not get in within a tenth
// of a second, the operations are missing. It may be called from anywhere, also after the end.
func (c *Conn) Flight() Flight { return c.session.flightEvents() }

// switched reports whether something is on: the program asks for it, or else a variable of the environment.
func switched(asked bool, variable string) (bool, error) {
	text := os.Getenv(variable)
	if asked || text == "" {
		return asked, nil
	}
	on, err := strconv.ParseBool(text)
	if err != nil {
		return false, hca.NewError(hca.Invalid, "open", variable, fmt.Sprintf("%q is neither 1 nor 0", text))
	}
	return on, nil
}

// flightLog has the events of a connection that are not operations. A connection has few of them.
type flightLog struct {
	mu   sync.Mutex
	n    int
	list [6]lifeEvent
}

type lifeEvent struct {
	at   int64
	kind FlightKind
}

// note records an event; a nil log drops it.
func (l *flightLog) note(kind FlightKind) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.n == len(l.list) {
		l.n-- // a program that asks for the end again and again
	}
	l.list[l.n] = lifeEvent{time.Now().UnixNano(), kind}
	l.n++
}

func (l *flightLog) events() Flight {
	l.mu.Lock()
	defer l.mu.Unlock()
	list := make(Flight, l.n)
	for i, e := range l.list[:l.n] {
		list[i] = FlightEvent{Time: time.Unix(0, e.at), Kind: e.kind}
	}
	return list
}

// flightEvents merges the events of the connection and those of its queue pair.
func (sess *session) flightEvents() Flight {
	if sess.flight == nil {
		return nil
	}
	lists := [3]Flight{0: sess.flight.events()}
	var outstanding Flight
	if r, ok := sess.qp.(hca.FlightReader); ok {
		lists[1], lists[2], outstanding, _ = r.ReadFlight(hca.NewPatience(false))
	}
	all := inOrder(lists)
	return latest(all, outstanding)
}

// latest has the last events, and the requests that are outstanding. Its array is no longer than it must be: the error
// of a broken connection keeps it.
func latest(all, outstanding Flight) Flight {
	return slices.Concat(all[max(0, len(all)-flightSize):], outstanding)
}

// inOrder merges lists by time. It does not sort: each list is in order, also if the clock was set back.
func inOrder(lists [3]Flight) Flight {
	all := make(Flight, 0, len(lists[0])+len(lists[1])+len(lists[2])+hca.MaxOutstanding)
	for {
		first := -1
		for i, l := range lists {
			if len(l) > 0 && (first < 0 || l[0].Time.Before(lists[first][0].Time)) {
				first = i
			}
		}
		if first < 0 {
			return all
		}
		all = append(all, lists[first][0])
		lists[first] = lists[first][1:]
	}
}
