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

// TestLeastAnswerMemory: Listen refuses memory in which no answer has room. An answer that has none alone is too long: a
// program that replied again until it has would never end.
func TestLeastAnswerMemory(t *testing.T) {
	onEveryPath(t, func(t *testing.T, a *rdma.Adapter) {
		for _, cfg := range []config{{AnswerMemory: 1}, {AnswerMemory: 24 + 15}} {
			if _, err := mailbox.Listen(t.Context(), a, address(a), cfg); !errors.Is(err, rdma.ErrInvalid) {
				t.Errorf("%d bytes: %v", cfg.AnswerMemory, err)
			}
		}
		values := mailbox.JSON[order]() // these do not take the short way
		b := listen(t, a, config{Values: values, AnswerMemory: 24 + 16})
		s := dial(t, a, b, dialConfig{Values: values})
		go func() { _ = (<-b.C()).Reply(receipt{ID: 1}) }()
		if answer, err := s.Ask(t.Context(), order{}); err != nil || answer.ID != 1 {
			t.Error(answer, err)
		}
		type blobs = mailbox.Config[order, []byte]
		codec := &mailbox.Codec[[]byte]{
			Name:   "bytes",
			Append: func(b, v []byte) ([]byte, error) { return append(b, v...), nil },
			Decode: func(b []byte) ([]byte, error) { return bytes.Clone(b), nil },
		}
		if _, err := mailbox.Listen(t.Context(), a, address(a), blobs{Answers: codec, AnswerMemory: 24}); !errors.Is(err, rdma.ErrInvalid) {
			t.Error(err)
		}
		for _, memory := range []int{25, 1000, 1047, 1048, 64 << 10} {
			b := listen(t, a, blobs{Answers: codec, AnswerMemory: memory})
			s := dial(t, a, b, mailbox.DialConfig[order, []byte]{Answers: codec, MaxAnswer: 1 << 20})
			for _, length := range []int{memory - 24, memory - 23, 1} {
				replied := make(chan error, 1)
				go func() {
					m := <-b.C()
					err := m.Reply(make([]byte, length))
					for errors.Is(err, rdma.ErrResources) && b.AnswersUsed() > 0 { // what was sent before may be under way
						mailbox.Yield()
						err = m.Reply(make([]byte, length))
					}
					if errors.Is(err, rdma.ErrResources) {
						_ = m.Decline("no room") // it is still open
					}
					replied <- err
				}()
				_, err := s.Ask(t.Context(), order{})
				reply, fits := <-replied, length <= memory-24
				if !fits && (!errors.Is(reply, rdma.ErrLength) || !errors.Is(err, mailbox.ErrDeclined)) || fits && (reply != nil || err != nil) {
					t.Errorf("%d of %d bytes: replied %v, asked %v", length, memory, reply, err)
				}
			}
		}
	})
}
