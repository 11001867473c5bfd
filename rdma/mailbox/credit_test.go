package mailbox_test

import (
	"context"
	"sync"
	"testing"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mailbox"
	"github.com/godapl/godapl/rdma/mem"
)

// TestFloodOfOneSender: a sender posts 10 000 messages at once, whatever its credit. Its connection ends.
// The others lose neither a value nor their connection, and get all answers.
func TestFloodOfOneSender(t *testing.T) {
	const posts, senders, each = 10_000, 4, 300
	onEveryPath(t, func(t *testing.T, a *rdma.Adapter) {
		b := listen(t, a, config{Depth: 32})
		read := make(chan map[*mailbox.Peer]uint64)
		go func() {
			next := map[*mailbox.Peer]uint64{}
			for m := range b.C() {
				if m.Value.ID != posts { // of a good one, in order
					if m.Value.ID != next[m.From()] {
						t.Errorf("value %d, not %d", m.Value.ID, next[m.From()])
					}
					next[m.From()]++
				}
				if m.Asked() {
					_ = m.Reply(receipt{ID: m.Value.ID})
				}
			}
			read <- next
		}()
		zone, err := a.NewZone()
		must(t, err)
		bad, err := a.Dial(t.Context(), b.Addr().String(), rdma.EndpointConfig{Zone: zone, SendDepth: posts,
			RecvDepth: 64, Private: mailbox.Hello[order, receipt](16, 16)})
		must(t, err)
		defer bad.Close()
		region, err := zone.Alloc(4096, mem.LocalRead)
		must(t, err)
		n := mailbox.RawValue(region.Bytes(), order{ID: posts})
		var work sync.WaitGroup
		var good []*mailbox.Sender[order, receipt]
		for range senders {
			s := dial(t, a, b, dialConfig{})
			good = append(good, s)
			work.Go(func() {
				for i := range uint64(each) {
					if i%2 == 0 {
						if err := s.Send(context.Background(), order{ID: i}); err != nil {
							t.Errorf("value %d: %v", i, err)
						}
					} else if r, err := s.Ask(context.Background(), order{ID: i}); err != nil || r.ID != i {
						t.Errorf("ask %d: %+v, %v", i, r, err)
					}
				}
			})
		}
		for range posts {
			if bad.PostSend(rdma.Send{From: region.Slice(0, n)}) != nil {
				break // it has ended
			}
		}
		<-bad.Context().Done()
		work.Wait()
		for _, s := range good {
			if err := s.Context().Err(); err != nil {
				t.Error(context.Cause(s.Context()))
			}
		}
		must(t, b.Close())
		next := <-read
		if len(next) != senders {
			t.Errorf("values of %d senders", len(next))
		}
		for _, n := range next {
			if n != each {
				t.Errorf("%d values", n)
			}
		}
	})
}
