package wire_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/godapl/godapl/rdma/mailbox"
)

// TestCredit sends all that the window and the mailbox allow, and waits for what the mailbox tells.
func TestCredit(t *testing.T) {
	for _, path := range paths {
		t.Run(path, func(t *testing.T) {
			ctx, a := open(t, path)
			box, err := mailbox.Listen(ctx, a, "127.0.0.1:0", mailbox.Config[order, receipt]{Depth: 1})
			check(t, err)
			defer box.Close()
			p, r, err := dial(ctx, t, a, box.Addr().String(), plain(2, 8))
			check(t, err)
			if r.window != 2 || r.asks != 8 || r.messages != 2 {
				t.Fatalf("%+v", r)
			}
			for id := range uint32(3) { // the first is in the mailbox, the others under way
				p.send(record{kindValue, 0, 0, bytesOf(id, 1)})
				p.wantPlaced(1)
			}
			for id := range uint32(10) { // each that is taken makes room for another one
				if m := receive(ctx, t, box); m.Value.ID != id {
					t.Fatal(m.Value)
				}
				p.wantPlaced(uint64(id) + 2)
				p.send(record{kindValue, 0, 0, bytesOf(id+3, 1)})
			}
		})
	}
}

// TestCreditOnDemand has more asks than the window has values: the mailbox makes room without an answer.
func TestCreditOnDemand(t *testing.T) {
	for _, path := range paths {
		t.Run(path, func(t *testing.T) {
			ctx, a := open(t, path)
			box, err := mailbox.Listen(ctx, a, "127.0.0.1:0", mailbox.Config[order, receipt]{})
			check(t, err)
			defer box.Close()
			p, _, err := dial(ctx, t, a, box.Addr().String(), plain(2, 8))
			check(t, err)
			var asks []mailbox.Message[order, receipt]
			for id := range uint64(8) {
				for id-p.placed == 2 {
					p.wantPlaced(p.placed + 1)
				}
				p.send(record{kindAsk, id<<16 | 7 - id, 0, bytesOf(uint32(id), 1)})
				asks = append(asks, receive(ctx, t, box))
			}
			for id, m := range slices.Backward(asks) {
				check(t, m.Decline(fmt.Sprint(id)))
				p.want(kindDecline, uint64(id)<<16|7-uint64(id), 8, fmt.Sprint(id))
			}
		})
	}
}
