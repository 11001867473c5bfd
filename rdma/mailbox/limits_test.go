package mailbox_test

import (
	"bytes"
	"errors"
	"testing"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mailbox"
	"github.com/godapl/godapl/rdma/mem"
)

// TestLimitsHoldWithinAMessage: a codec gets no more bytes than MaxValue and MaxAnswer say, also from a peer that
// puts more into a message than belongs there.
func TestLimitsHoldWithinAMessage(t *testing.T) {
	const most = 40
	limited := blobs(func(b []byte) {
		if len(b) > most {
			t.Errorf("Decode gets %d bytes", len(b))
		}
	})
	lengths := map[int]bool{most: true, most + 1: false, 120: false} // and whether they are taken
	t.Run("value", func(t *testing.T) {
		onEveryPath(t, func(t *testing.T, a *rdma.Adapter) {
			b := listen(t, a, blobConfig{Values: limited, MaxValue: most})
			r := rawSender(t, a, b, mailbox.CodecHello[uint64]("blob", 16, 2))
			region, err := r.Zone().Alloc(4096, mem.LocalRead)
			must(t, err)
			for length, taken := range lengths {
				must(t, r.Send(t.Context(), region.Slice(0, mailbox.RawBytes(region.Bytes(), 0, blob(7, length)))))
				if kind := r.kind(t); (kind == 5) != taken || (kind == 6) == taken {
					t.Errorf("%d bytes: kind %d", length, kind)
				}
			}
		})
	})
	t.Run("answer", func(t *testing.T) {
		onEveryPath(t, func(t *testing.T, a *rdma.Adapter) {
			for length, taken := range lengths {
				r, s := rawMailbox(t, a, 1, 1, mailbox.DialConfig[order, []byte]{Answers: limited, MaxAnswer: most})
				region, err := r.Zone().Alloc(4096, mem.LocalRead)
				must(t, err)
				want := blob(7, length)
				p, err := s.Go(t.Context(), order{})
				must(t, err)
				must(t, r.Send(t.Context(), region.Slice(0, mailbox.RawBytes(region.Bytes(), 1<<16, want))))
				answer, err := p.Wait(t.Context())
				if taken && (err != nil || !bytes.Equal(answer, want)) || !taken && !errors.Is(err, mailbox.ErrBadAnswer) {
					t.Errorf("%d bytes: %x, %v", length, answer, err)
				}
			}
		})
	})
}
