package debug

import (
	"strings"
	"testing"
	"time"
)

func TestNotes(t *testing.T) {
	for want, x := range map[string]struct {
		c    Conn
		last sample
	}{
		"":                  {Conn{State: "connected", Requests: 1, SendDepth: 8, Receives: 4, Idle: time.Second}, sample{}},
		"could not be read": {Conn{State: "connected", Stale: true}, sample{}},
		"answer to the req": {Conn{State: "connecting"}, sample{}},
		"to complete":       {Conn{State: "accepting"}, sample{}},
		"when 3 posted":     {Conn{State: "disconnecting", Requests: 3}, sample{}},
		"find no receive":   {Conn{State: "connected"}, sample{waiting: true}},
		"has no room":       {Conn{State: "connected", Requests: 1, Receives: 1, SendDepth: 8, Idle: 3 * time.Second}, sample{stalled: true}},
		"3s: 2 requests":    {Conn{State: "connected", Requests: 2, Receives: 1, SendDepth: 2, Idle: 3 * time.Second}, sample{}},
		"queue is full":     {Conn{State: "connected", Requests: 2, Receives: 1, SendDepth: 2}, sample{}},
		"full at times":     {Conn{State: "connected", Receives: 1, SendDepth: 2}, sample{stalled: true}},
	} {
		if got := note(&x.c, x.last); !strings.Contains(got, want) || (want == "") != (got == "") {
			t.Errorf("%+v %+v: %q, want %q", x.c, x.last, got, want)
		}
	}
	if got := note(&Conn{State: "connected", shared: true}, sample{waiting: true}); got != "" {
		t.Errorf("a connection with a shared queue has no receives of its own: %q", got)
	}
}
