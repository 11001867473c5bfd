package peers_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/godapl/godapl/internal/iwarp"
)

// Row 71 concerns a side that requests markers. This library never does, in any role, not even from a peer that
// does: so it never reads received bytes as a marker, and a right marker breaks the stream like a wrong one
// (takeRequest and takeReply check in every case that it requests none). The codec, which others may use with
// markers, has the reaction of the row.
func TestWrongMarker(t *testing.T) {
	for _, ptr := range []byte{0, 1, 4} {
		data := func(*exchange) []byte {
			b := iwarp.AppendMarked(nil, 0, send(1, "hello"), true)
			b[3] += ptr // 0 would be right
			return seal(b)
		}
		t.Run(fmt.Sprintf("off by %d", ptr), func(t *testing.T) {
			runCases(t, []badCase{{row: 71, name: "never asked for", want: "2/0/0x03 close", roles: markerRoles(), data: data}})
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
