package mailbox_test

import (
	"slices"
	"testing"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mailbox"
)

// TestSettled: a refused value is one that the mailbox is done with. A program that sends again what is not
// settled sends no value again that was delivered.
func TestSettled(t *testing.T) {
	onEveryPath(t, func(t *testing.T, a *rdma.Adapter) {
		b := listen(t, a, config{Depth: 3})
		s := dial(t, a, b, dialConfig{Async: true})
		var sent []order
		for n := range uint64(6) {
			sent = append(sent, order{ID: n + 1})
		}
		mailbox.Spoil(&sent[1], 8, 2)
		for _, v := range sent {
			must(t, s.Send(t.Context(), v))
		}
		for s.Settled() < 4 { // the fifth has no room
			mailbox.Yield()
		}
		s.Abort()
		lost := lostOf(t, s)
		if lost.Delivered != 3 || lost.Refused != 1 || lost.Unknown != 2 || lost.Settled() != 4 {
			t.Error(lost)
		}
		again := dial(t, a, b, dialConfig{Async: true})
		go func() {
			for _, v := range sent[lost.Settled():] {
				_ = again.Send(t.Context(), v)
			}
			_ = again.Flush(t.Context())
			_ = b.Close()
		}()
		var got []uint64
		for m := range b.C() {
			got = append(got, m.Value.ID)
		}
		slices.Sort(got)
		if all := slices.Compact(slices.Clone(got)); !slices.Equal(all, []uint64{1, 3, 4, 5, 6}) || !slices.Equal(got[:3], all[:3]) {
			t.Errorf("values %v", got)
		}
	})
}
