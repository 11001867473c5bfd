package mailbox_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mailbox"
)

// TestFlushReportsAllRefusals: once each, also those of calls that have gone away.
func TestFlushReportsAllRefusals(t *testing.T) {
	onEveryPath(t, func(t *testing.T, a *rdma.Adapter) {
		b := listen(t, a, config{})
		s := dial(t, a, b, dialConfig{Async: true})
		bad := order{}
		mailbox.Spoil(&bad, 8, 2)
		for n := range uint64(20) {
			v := order{ID: n}
			if n%3 == 1 { // values 2, 5, …, 20: 7 of them
				v = bad
			}
			must(t, s.Send(t.Context(), v))
		}
		err := s.Flush(t.Context())
		var refused *mailbox.Refused
		if !errors.As(err, &refused) || refused.Count != 7 || refused.First != 2 {
			t.Fatal(err)
		}
		if !errors.Is(err, mailbox.ErrNotDelivered) || !strings.Contains(err.Error(), "bool") {
			t.Error(err)
		}
		must(t, s.Flush(t.Context()))
		if n := b.Len(); n != 13 {
			t.Errorf("%d values", n)
		}
		must(t, s.Send(t.Context(), bad))
		if err := s.Flush(t.Context()); !errors.As(err, &refused) || refused.Count != 1 || refused.First != 21 {
			t.Error(err)
		}

		if _, err := s.Ask(t.Context(), bad); !errors.Is(err, mailbox.ErrNotDelivered) {
			t.Error(err)
		}
		must(t, s.Flush(t.Context())) // Ask has reported its own

		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		must(t, s.Send(t.Context(), bad))
		if err := s.Flush(ctx); !errors.Is(err, mailbox.ErrUnknown) && !errors.As(err, &refused) {
			t.Error(err)
		} else if errors.Is(err, mailbox.ErrUnknown) {
			if err = s.Flush(t.Context()); !errors.As(err, &refused) || refused.Count != 1 {
				t.Error(err)
			}
		}
	})
}
