package status

import (
	"fmt"
	"log/slog"
	"strings"
	"time"
)

// FlightKind is what a [FlightEvent] tells.
type FlightKind uint8

const (
	// FlightConnecting: the connection was requested.
	FlightConnecting FlightKind = iota + 1
	// FlightAccepting: the peer's request was accepted.
	FlightAccepting
	// FlightEstablished: the connection was made.
	FlightEstablished
	// FlightShutdown: this side asked for a graceful end.
	FlightShutdown
	// FlightAbort: this side asked for an abrupt end.
	FlightAbort
	// FlightEnded: the connection ended in order.
	FlightEnded
	// FlightBroken: the connection was lost.
	FlightBroken
	// FlightCompleted: an operation completed. Op, Status, Cookie and Length describe it.
	FlightCompleted
	// FlightReceiveMissing: a message of the peer found no receive, and waits for one.
	FlightReceiveMissing
	// FlightReceiveFound: that message has one.
	FlightReceiveFound
	// FlightStall: the transport had no room for what this side had to send.
	FlightStall
	// FlightOutstanding: an operation that was posted is not complete at the time of the look. Op,
	// Cookie and Length describe it.
	FlightOutstanding
)

var flightNames = [...]string{
	FlightConnecting: "connecting", FlightAccepting: "accepting", FlightEstablished: "established",
	FlightShutdown: "shutdown requested", FlightAbort: "abort requested", FlightEnded: "ended", FlightBroken: "broken",
	FlightCompleted: "completed", FlightReceiveMissing: "a message finds no receive",
	FlightReceiveFound: "the message has a receive", FlightStall: "the transport has no room",
	FlightOutstanding: "outstanding",
}

// String returns the kind in words: "established".
func (k FlightKind) String() string {
	if int(k) < len(flightNames) && flightNames[k] != "" {
		return flightNames[k]
	}
	return "unknown event"
}

// FlightEvent is an event in the life of a connection.
type FlightEvent struct {
	// Time is exact to ten milliseconds where many events follow each other, and to the clock
	// otherwise.
	Time   time.Time
	Kind   FlightKind
	Op     Op
	Status Status
	// Cookie is that of the post; for a call that waits, a number of the library.
	Cookie uint64
	Length uint64 // in bytes, as the completion has it
}

// String is one line: time and kind, and for an operation what it was and what came of it.
func (e FlightEvent) String() string {
	at := e.Time.Format("15:04:05.000000")
	switch e.Kind {
	case FlightCompleted:
		return fmt.Sprintf("%s %v, %d bytes, cookie %#x: %v", at, e.Op, e.Length, e.Cookie, e.Status)
	case FlightOutstanding:
		return fmt.Sprintf("%s %v, %d bytes, cookie %#x: outstanding", at, e.Op, e.Length, e.Cookie)
	}
	return at + " " + e.Kind.String()
}

// Flight is what the flight recorder of a connection holds, the oldest event first.
type Flight []FlightEvent

// String has a line for each event, each with a line feed at its end.
func (f Flight) String() string {
	return strings.Join(append(f.Lines(), ""), "\n")
}

// LogValue implements slog.LogValuer: a list of lines.
func (f Flight) LogValue() slog.Value { return slog.AnyValue(f.Lines()) }

// Lines has a text for each event.
func (f Flight) Lines() []string {
	lines := make([]string, len(f))
	for i, e := range f {
		lines[i] = e.String()
	}
	return lines
}

// Format implements fmt.Formatter. %+v prints Error and, on lines of their own, the events of Flight;
// all else prints as an error does.
func (e *Error) Format(s fmt.State, verb rune) {
	switch {
	case verb == 'v' && s.Flag('#'):
		type plain Error
		fmt.Fprintf(s, fmt.FormatString(s, verb), (*plain)(e))
		return
	case e == nil:
		fmt.Fprint(s, "<nil>")
		return
	}
	fmt.Fprintf(s, fmt.FormatString(s, verb), e.Error())
	if verb == 'v' && s.Flag('+') && len(e.Flight) > 0 {
		fmt.Fprint(s, "\n", strings.Join(e.Flight.Lines(), "\n"))
	}
}
