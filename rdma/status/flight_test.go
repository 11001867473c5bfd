package status_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/godapl/godapl/rdma/status"
)

// TestFlightInErrors: only %+v prints the events, and all else prints what it printed without them.
func TestFlightInErrors(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 6000, time.Local)
	e := &status.Error{Op: "connection", Object: "connection to host:1", Code: status.ErrBroken, Flight: status.Flight{
		{Time: at, Kind: status.FlightEstablished},
		{Time: at, Kind: status.FlightCompleted, Op: status.OpWrite, Status: status.StatusFlushed, Cookie: 255, Length: 3},
		{Time: at, Kind: status.FlightOutstanding, Op: status.OpRead, Cookie: 1, Length: 2},
	}}
	text := e.Error()
	for format, want := range map[string]string{
		"%v": text, "%s": text, "%q": fmt.Sprintf("%q", text), "%5.3v": "  " + text[:3],
		"%+v": text + "\n03:04:05.000006 established\n03:04:05.000006 write, 3 bytes, cookie 0xff: flushed\n" +
			"03:04:05.000006 read, 2 bytes, cookie 0x1: outstanding",
	} {
		if got := fmt.Sprintf(format, e); got != want {
			t.Errorf("%s: %q, want %q", format, got, want)
		}
	}
	if strings.Contains(text, "established") || strings.Contains(fmt.Errorf("no: %w", e).Error(), "established") {
		t.Errorf("the text of the error has events: %s", text)
	}
	if got := fmt.Sprintf("%#v", e); !strings.HasPrefix(got, "&status.") || !strings.Contains(got, "host:1") {
		t.Error(got)
	}
	if got := fmt.Sprintf("%+v", &status.Error{Op: "free", Code: status.ErrInvalid}); got != (&status.Error{Op: "free", Code: status.ErrInvalid}).Error() {
		t.Errorf("without events: %q", got)
	}
	var none *status.Error
	if got := fmt.Sprintf("%v", none); got != "<nil>" {
		t.Error(got)
	}
	if !errors.Is(e, status.ErrBroken) {
		t.Error("the code is lost")
	}
}

// TestFlightKinds: each kind has a text of its own.
func TestFlightKinds(t *testing.T) {
	seen := map[string]status.FlightKind{}
	for k := status.FlightConnecting; k <= status.FlightOutstanding; k++ {
		text := k.String()
		if other, ok := seen[text]; ok || text == "unknown event" {
			t.Errorf("kinds %d and %d are %q", other, k, text)
		}
		seen[text] = k
	}
	if got := status.FlightKind(0).String() + (status.FlightOutstanding + 1).String(); got != "unknown eventunknown event" {
		t.Error(got)
	}
}
