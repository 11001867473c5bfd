package mailbox_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mailbox"
)

// TestMaxSenders: a mailbox rejects a sender too many, says why, and takes another once one has left.
func TestMaxSenders(t *testing.T) {
	onEveryPath(t, func(t *testing.T, a *rdma.Adapter) {
		b := listen(t, a, config{MaxSenders: 2, Down: true})
		first, second := dial(t, a, b, dialConfig{}), dial(t, a, b, dialConfig{})
		for range 3 {
			_, err := mailbox.Dial(t.Context(), a, b.Addr().String(), dialConfig{})
			if !errors.Is(err, rdma.ErrRejected) || !strings.Contains(err.Error(), "2 senders are connected") {
				t.Fatalf("the third sender: %v", err)
			}
		}
		must(t, second.Send(t.Context(), order{})) // nobody else is harmed
		must(t, first.Close())
		for {
			s, err := mailbox.Dial(t.Context(), a, b.Addr().String(), dialConfig{})
			if err == nil {
				must(t, s.Send(t.Context(), order{}))
				must(t, s.Close())
				return
			}
			if !errors.Is(err, rdma.ErrRejected) || t.Context().Err() != nil {
				t.Fatal(err) // the first sender may still be taken down
			}
		}
	})
}
