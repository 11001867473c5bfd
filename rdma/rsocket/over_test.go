package rsocket

import (
	"errors"
	"testing"

	"github.com/godapl/godapl/rdma"
)

// TestAnEndWaitsForTheMessagesBeforeIt: the end of a connection is told beside its completions, so the receives that
// are still out may have the last messages. After this side's own Close nobody waits for them.
func TestAnEndWaitsForTheMessagesBeforeIt(t *testing.T) {
	lost := errors.New("lost")
	for _, c := range []struct {
		what     string
		down     bool
		receives int
		cause    error
		over     bool
	}{
		{"it has not ended", false, 0, nil, false},
		{"messages may be left", true, 2, lost, false},
		{"all receives are back", true, 0, lost, true},
		{"this side has closed", true, 2, rdma.ErrClosed, true},
	} {
		if over := (&Conn{down: c.down, receives: c.receives, cause: c.cause}).over(); over != c.over {
			t.Errorf("%s: over is %t", c.what, over)
		}
	}
}
