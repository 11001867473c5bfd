package mailbox_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/godapl/godapl/rdma"
)

// BenchmarkAskInProcess compares an Ask within the process with the hand-off of the same value over an
// unbuffered channel, with a reply over another: the metric channels is the ratio of the times, the
// median of seven rounds in turns.
func BenchmarkAskInProcess(b *testing.B) {
	a, err := rdma.Open(context.Background(), "soft-loop", rdma.OpenConfig{})
	must(b, err)
	defer a.Close()
	box := listen(b, a, config{})
	s := dial(b, a, box, dialConfig{})
	values, replies := make(chan order), make(chan receipt)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for m := range box.C() {
			_ = m.Reply(receipt{ID: m.Value.ID})
		}
	}()
	go func() {
		defer close(replies)
		for v := range values {
			replies <- receipt{ID: v.ID}
		}
	}()
	const rounds = 7
	n := b.N/rounds + 1
	var ratios []float64
	var mailboxes, channels time.Duration
	for range rounds {
		begin := time.Now()
		for range n {
			values <- order{}
			<-replies
		}
		channel := time.Since(begin)
		begin = time.Now()
		for range n {
			if _, err := s.Ask(context.Background(), order{}); err != nil {
				b.Fatal(err)
			}
		}
		asks := time.Since(begin)
		channels, mailboxes = channels+channel, mailboxes+asks
		ratios = append(ratios, float64(asks)/float64(channel))
	}
	slices.Sort(ratios)
	b.ReportMetric(ratios[rounds/2], "channels")
	b.ReportMetric(float64(mailboxes.Nanoseconds())/float64(rounds*n), "ns/ask")
	b.ReportMetric(float64(channels.Nanoseconds())/float64(rounds*n), "ns/channel")
	b.ReportMetric(0, "ns/op")
	close(values)
	for range replies {
	}
	must(b, box.Close())
	<-done
}
