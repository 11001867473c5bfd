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
		"":                       {Conn{State: "connected", Requests: 1, SendDepth: 8, Receives: 4, Idle: time.Second}, sample{}},
		"could not be looked at": {Conn{State: "connected", Stale: true, ReceiveWaitNow: 1}, sample{}},
		"answer to the req":      {Conn{State: "connecting"}, sample{}},
		"to complete":            {Conn{State: "accepting"}, sample{}},
		"when 3 posted":          {Conn{State: "disconnecting", Requests: 3}, sample{}},
		"a message of the peer finds no receive: this":               {Conn{State: "connected", ReceiveWaitNow: 1}, sample{}},
		"stuck for 5s: a message of the peer finds no receive: this": {Conn{State: "connected", ReceiveWaitNow: 5 * time.Second, Requests: 1, Idle: 9 * time.Second}, sample{}},
		"stuck for 6s: a message of the peer finds no receive in":    {Conn{State: "connected", ReceiveWaitNow: 6 * time.Second, shared: true, SendStallNow: 1}, sample{}},
		"the transport has no room":                                  {Conn{State: "connected", Requests: 1, SendDepth: 1, SendStallNow: 1}, sample{stalled: true}},
		"stuck for 3s: the transport has no room":                    {Conn{State: "connected", Requests: 1, Receives: 1, SendDepth: 8, SendStallNow: 3 * time.Second, Idle: 9 * time.Second}, sample{}},
		"stuck for 3s: 2 requests":                                   {Conn{State: "connected", Requests: 2, Receives: 1, SendDepth: 2, busy: 3 * time.Second, Idle: 9 * time.Second}, sample{stalled: true}},
		"no receive at times":                                        {Conn{State: "connected", Receives: 1}, sample{waiting: true}},
		"queue is full":                                              {Conn{State: "connected", Requests: 2, Receives: 1, SendDepth: 2}, sample{}},
		"full at times":                                              {Conn{State: "connected", Receives: 1, SendDepth: 2}, sample{stalled: true}},
	} {
		if got := note(&x.c, x.last); !strings.HasPrefix(got, want) && !strings.Contains(strings.SplitN(got, ": ", 2)[0], want) || (want == "") != (got == "") {
			t.Errorf("%+v %+v: %q, want %q", x.c, x.last, got, want)
		}
	}
}
