package peers_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/godapl/godapl/internal/iwarp"
)

// Row 71 is for who asks for markers. Ours never does, in no role, not even of
// a peer that does: so what it gets is never read as a marker, and one that would
// be right breaks the stream like one that would be wrong (takeRequest and
// takeReply look at what ours asks for, in every case). The codec, for those who
// ask, has the reaction of the row.
func TestWrongMarker(t *testing.T) {
	for _, ptr := range []byte{0, 1, 4} {
		octets := func(*exchange) []byte {
			b := iwarp.AppendMarked(nil, 0, send(1, "hello"), true)
			b[3] += ptr // 0 is what it should say
			return seal(b)
		}
		t.Run(fmt.Sprintf("off by %d", ptr), func(t *testing.T) {
			runCases(t, []badCase{{row: 71, name: "never asked for", want: "2/0/0x03 close", roles: markerRoles(), octets: octets}})
		})
	}
	long := iwarp.AppendMarked(nil, 0, send(1, string(bytes.Repeat([]byte("x"), 1100))), true)
	for at := 0; at < len(long); at += iwarp.MarkerSpacing {
		b := bytes.Clone(long)
		b[at+3] ^= 4
		_, _, _, err := iwarp.ParseMarked(nil, seal(b), 0, true)
		pe, ok := err.(iwarp.ParseError)
		if !ok {
			t.Fatalf("marker at %d: %v", at, err)
		}
		if what, cause := pe.Reaction(); what != iwarp.ReactTerminate || reaction(cause) != "2/0/0x03" {
			t.Errorf("marker at %d: %v, reaction %v %v", at, err, what, reaction(cause))
		}
	}
}
