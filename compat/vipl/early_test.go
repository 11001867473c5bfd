package vipl_test

import (
	"testing"

	"github.com/godapl/godapl/compat/vipl"
)

// lonely are attempts to connect that end before the adapter has begun to.
var lonely = []struct {
	name string
	try  func(t *testing.T, a, b *side)
}{
	{"nobody comes", func(t *testing.T, a, b *side) {
		one, two := a.address(), b.address() // the greater address waits
		ok(t, vipl.ConnectPeerRequest(b.vi, two, one, 1))
		want(t, vipl.ConnectPeerWait(b.vi, nil), vipl.Timeout)
	}},
	{"no time", func(t *testing.T, a, b *side) {
		want(t, vipl.ConnectRequest(b.vi, b.address(), a.address(), 0, nil), vipl.Timeout)
	}},
}

// TestReceivesOutliveALonelyAttempt connects after such an attempt: the first message goes into the receive.
func TestReceivesOutliveALonelyAttempt(t *testing.T) {
	for _, l := range lonely {
		t.Run(l.name, func(t *testing.T) {
			everywhere(t, func(t *testing.T, name string) {
				a, b := newSide(t, name), newSide(t, name)
				d, into := b.recv(8)
				l.try(t, a, b)
				connect(b, a)
				send(a, "message1")
				b.received(d, vipl.StatusOpReceive)
				if string(into) != "message1" {
					t.Fatalf("got %q", into)
				}
			})
		})
	}
}

// TestMemoryIsBackAfterALonelyAttempt ends the attempt by Disconnect, which gives the receive back: a message of the
// next connection goes elsewhere.
func TestMemoryIsBackAfterALonelyAttempt(t *testing.T) {
	everywhere(t, func(t *testing.T, name string) {
		a, b := newSide(t, name), newSide(t, name)
		d, into := b.recv(8)
		one, two := a.address(), b.address()
		ok(t, vipl.ConnectPeerRequest(b.vi, two, one, vipl.Infinite))
		ok(t, vipl.Disconnect(b.vi))
		b.received(d, vipl.StatusOpReceive|vipl.StatusDescFlushedError)
		next, there := b.recv(8)
		connect(b, a)
		send(a, "message1")
		b.received(next, vipl.StatusOpReceive)
		if string(there) != "message1" || string(into) != "\x00\x00\x00\x00\x00\x00\x00\x00" {
			t.Fatalf("got %q, and %q in memory that was given back", there, into)
		}
	})
}

// send sends a message.
func send(s *side, text string) {
	s.t.Helper()
	b := s.room(len(text))
	copy(b, text)
	s.sent(s.postSend(s.desc(0, seg(s.mem, b))), vipl.StatusOpSend)
}
