package mailbox_test

import (
	"runtime"
	"testing"
	"weak"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mailbox"
)

// TestNothingIsKeptOfSendersThatAreGone: the completions of the answers to a sender do not keep its connection, which has
// some kilobytes, until later answers need their memory.
func TestNothingIsKeptOfSendersThatAreGone(t *testing.T) {
	onEveryPath(t, func(t *testing.T, a *rdma.Adapter) {
		codec := mailbox.JSON[uint64]() // so nothing goes the short way
		b := listen(t, a, mailbox.Config[uint64, uint64]{Values: codec})
		const senders = 16 // fewer than the first answers have memory for
		var peers []weak.Pointer[mailbox.Peer]
		for n := range uint64(senders) {
			s, err := mailbox.Dial(t.Context(), a, b.Addr().String(), mailbox.DialConfig[uint64, uint64]{Values: codec})
			must(t, err)
			asked, err := s.Go(t.Context(), n)
			must(t, err)
			must(t, s.TrySend(n)) // lets the ask leave
			m, err := b.Receive(t.Context())
			must(t, err)
			peers = append(peers, weak.Make(m.From()))
			must(t, m.Reply(n))
			_, err = asked.Wait(t.Context())
			must(t, err)
			_, err = b.Receive(t.Context())
			must(t, err)
			must(t, s.Close())
		}
		for b.Peers() > 0 {
			mailbox.Yield()
		}
		const latest = senders / 2 // some may be in the batch of completions that the mailbox had last, or are still taken down
		kept := senders
		for round := 0; kept > latest && round < 100; round++ {
			runtime.GC()
			kept = 0
			for _, p := range peers {
				if p.Value() != nil {
					kept++
				}
			}
		}
		if kept > latest {
			t.Errorf("%d of %d senders that are gone are kept", kept, senders)
		}
	})
}
