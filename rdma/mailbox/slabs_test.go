package mailbox_test

import (
	"testing"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mailbox"
)

// TestSendersShareRegistrations: a registration is for 16 senders of the same needs; a place in it is used
// again, and it goes with the last of them.
func TestSendersShareRegistrations(t *testing.T) {
	onEveryPath(t, func(t *testing.T, a *rdma.Adapter) {
		b := listen(t, a, config{})
		check := func(peers, all, open int) {
			t.Helper()
			for b.Peers() != peers {
				mailbox.Yield()
			}
			for in, free := b.Slabs(); in != all || free != open; in, free = b.Slabs() {
				if peers != 0 {
					t.Fatalf("%d registrations for %d senders, %d with a place", in, peers, free)
				}
				mailbox.Yield() // what ends is taken down behind that
			}
		}
		var all []*mailbox.Sender[order, receipt]
		for range 32 {
			all = append(all, dial(t, a, b, dialConfig{}))
		}
		check(32, 2, 0)
		other := dial(t, a, b, dialConfig{Window: 3}) // other needs
		check(33, 3, 1)
		must(t, all[7].Close())
		for b.FreeTags() == 0 {
			mailbox.Yield()
		}
		check(32, 3, 2)
		again := dial(t, a, b, dialConfig{})
		check(33, 3, 1)
		for i, s := range append(all, other, again) {
			if i != 7 {
				must(t, s.Send(t.Context(), order{ID: uint64(i)}))
				if m := <-b.C(); m.Value.ID != uint64(i) {
					t.Errorf("value %d, not %d", m.Value.ID, i)
				}
			}
			must(t, s.Close())
		}
		check(0, 0, 0)
	})
}
