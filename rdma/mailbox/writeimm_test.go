package mailbox_test

import (
	"context"
	"errors"
	"testing"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mailbox"
	"github.com/godapl/godapl/rdma/mem"
)

// TestWritesWithImmediateData: a write with immediate data takes a receive and puts nothing into it. What an earlier message
// has left there is no value, and the sender is ended, also if as many such writes come as there are receives. No sender
// has a key of the mailbox, unless its device asks for that (Caps.ReadNeedsRemoteWrite); over shared memory a hostile one needs none.
func TestWritesWithImmediateData(t *testing.T) {
	onEveryPath(t, func(t *testing.T, a *rdma.Adapter) {
		if !a.Attributes().Caps.WriteImmediate {
			t.Skip("there are no writes with immediate data")
		}
		for name, length := range map[string]int{"nothing": 0, "as a value": 24 + 32, "longer than a receive": 4096} {
			t.Run(name, func(t *testing.T) {
				b := listen(t, a, config{Down: true})
				const window = 4
				r := rawSender(t, a, b, mailbox.Hello[order, receipt](window, 2))
				region, err := r.Zone().Alloc(4096, mem.LocalRead)
				must(t, err)
				messages, _ := mailbox.Gathering[order](window)
				for n := range messages + 1 { // something is in each receive
					must(t, r.Send(t.Context(), region.Slice(0, mailbox.RawValue(region.Bytes(), order{ID: uint64(n)}))))
					if m := <-b.C(); m.Value.ID != uint64(n) {
						t.Fatal(m)
					}
				}
				release := b.Halt()
				to := b.Target(t)
				to.Length = uint64(length)
				for range messages + 1 {
					must(t, r.PostWrite(rdma.Write{From: region.Slice(0, length), To: to, Flags: rdma.WithImmediate}))
				}
				release()
				m, err := b.Receive(context.Background())
				must(t, err)
				if !errors.Is(m.Down(), mailbox.ErrProtocol) {
					t.Errorf("%+v, %v", m.Value, m.Down())
				}
				for b.Peers() > 0 {
					mailbox.Yield()
				}
			})
		}
	})
}
