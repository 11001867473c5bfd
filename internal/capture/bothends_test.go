package capture

import (
	"bytes"
	"strings"
	"testing"

	"github.com/godapl/godapl/internal/capture/capturetest"
)

// TestBothEnds: both ends of a connection are in one capture, as of an adapter that connects to itself. Readers know a
// connection by its addresses, so each end has its own.
func TestBothEnds(t *testing.T) {
	for _, active := range []bool{true, false} {
		f, _ := start(t, Config{})
		one, other := f.Flow(tcp(here4), tcp(there4), active), f.Flow(tcp(there4), tcp(here4), !active)
		r := rng()
		var said, answered []byte
		say := func(b []byte) { send(one, b); other.Received(b); said = append(said, b...) }
		answer := func(b []byte) { send(other, b); one.Received(b); answered = append(answered, b...) }
		say(request(false))
		answer(reply())
		for range 20 {
			say(fpdu(r, 1+r.IntN(60000)))
			answer(fpdu(r, 1+r.IntN(60000)))
		}
		one.Close()
		one.ReceivedEnd(false)
		other.ReceivedEnd(false)
		other.Close()
		must(t, f.Close())
		all := capturetest.Follow(t, capturetest.ReadFile(t, f.Name()))
		if len(all) != 2 {
			t.Fatalf("%d connections, want one for each end", len(all))
		}
		for ends, c := range all {
			from, to := here4, there4
			if ends != capturetest.EndsOf(from, to) { // of the other end, and made up
				if from, to = ends[0], ends[1]; from.Addr() == madeUpLocal {
					from, to = to, from
				}
				if !strings.Contains(c.Comment, "The other end") || !strings.Contains(c.Comment, there4.String()) {
					t.Errorf("comment %q", c.Comment)
				}
			}
			if !bytes.Equal(c.Streams[from], said) || !bytes.Equal(c.Streams[to], answered) || !c.Ended[from] || !c.Ended[to] || c.Opener == from != active {
				t.Errorf("%v is not what was recorded", ends)
			}
		}
	}
}

// TestPortsAreUsedAgain: a connection that is over has its addresses to itself no longer.
func TestPortsAreUsedAgain(t *testing.T) {
	f, _ := start(t, Config{})
	for range 2 {
		f.Flow(tcp(here4), tcp(there4), true).Close()
		f.Flow(tcp(there4), tcp(here4), false).Close()
	}
	must(t, f.Close())
	for _, p := range capturetest.ReadFile(t, f.Name()) {
		if p.From != here4 && p.From != there4 {
			t.Fatalf("a packet from %v", p.From)
		}
	}
}
