package mailbox_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mailbox"
)

// TestSendersTakeTurns: in a full mailbox each sender waits for one turn of each other one at most, however
// many there are, and has its own turn undivided. While a value is taken, each sender has others that have
// arrived.
func TestSendersTakeTurns(t *testing.T) {
	onEveryPath(t, func(t *testing.T, a *rdma.Adapter) {
		for _, senders := range []int{33, 65, 100} {
			t.Run(fmt.Sprint(senders), func(t *testing.T) { takeTurns(t, a, senders, 1, 1) })
		}
		t.Run("of three values", func(t *testing.T) { takeTurns(t, a, 33, 3*64, 3) })
	})
}

func takeTurns(t *testing.T, a *rdma.Adapter, senders, depth, turn int) {
	b := listen(t, a, config{Depth: depth, Window: 8 * turn})
	var all []*mailbox.Sender[order, receipt]
	for range senders {
		all = append(all, dial(t, a, b, dialConfig{Async: true}))
	}
	defer b.Close()  // before the senders, which would wait for room
	busy := func() { // all of them
		for {
			for i, s := range all {
				for {
					if err := s.TrySend(order{Amount: int32(i)}); errors.Is(err, mailbox.ErrFull) {
						break
					} else if err != nil {
						t.Fatal(err)
					}
				}
			}
			if b.LeastBacklog(senders) >= uint64(turn) && b.Len() == depth {
				return
			}
			mailbox.Yield()
		}
	}
	busy()
	for range depth + turn { // of these the first came while there was room
		_, err := b.Receive(t.Context())
		must(t, err)
		busy()
	}
	since := make([][]int, senders) // by sender: how many values of each one, since its own latest
	latest, run, turns := -1, 0, 0
	for range 4 * senders * turn {
		m, err := b.Receive(t.Context())
		must(t, err)
		from := int(m.Value.Amount)
		for i := range since {
			if since[i] == nil {
				continue // it had none yet
			}
			if since[i][from]++; since[i][from] > turn && i != from {
				t.Fatalf("sender %d has had %d values between two of sender %d", from, since[i][from], i)
			}
		}
		since[from] = make([]int, senders)
		if from != latest {
			if turns++; turns > 2 && run != turn {
				t.Fatalf("sender %d has had %d values in its turn, not %d", latest, run, turn)
			}
			latest, run = from, 0
		}
		run++
		busy()
	}
	for i := range since {
		if since[i] == nil {
			t.Errorf("sender %d had no turn", i)
		}
	}
}

// TestShortWayWaitsItsTurn: a value does not go the short way while that of another sender has left and has
// no room, although there is room just now.
func TestShortWayWaitsItsTurn(t *testing.T) {
	a, err := rdma.Open(t.Context(), "soft-loop", rdma.OpenConfig{})
	must(t, err)
	t.Cleanup(func() { _ = a.Close() })
	b := listen(t, a, config{Depth: 1})
	first, second := dial(t, a, b, dialConfig{Async: true}), dial(t, a, b, dialConfig{Async: true})
	release := b.Halt()
	must(t, first.Send(t.Context(), order{ID: 1}))
	must(t, first.Send(t.Context(), order{ID: 2}))
	<-b.C()
	must(t, second.Send(t.Context(), order{ID: 3}))
	release()
	for id := uint64(2); id <= 3; id++ {
		if m := <-b.C(); m.Value.ID != id {
			t.Errorf("value %d, not %d", m.Value.ID, id)
		}
	}
	if n := second.Handed(); n != 0 {
		t.Errorf("%d values overtook", n)
	}
	must(t, first.Flush(t.Context()))
	must(t, second.Flush(t.Context()))
	for range 2 { // the first may find the intake still about to rest
		must(t, second.Send(t.Context(), order{ID: 4}))
		<-b.C()
		must(t, second.Flush(t.Context()))
		b.Halt()()
	}
	if n := second.Handed(); n == 0 {
		t.Error("the short way stays closed")
	}
}

// TestIntakeGrows: more senders than the first completion queue has places, also while the mailbox is full.
func TestIntakeGrows(t *testing.T) {
	onEveryPath(t, func(t *testing.T, a *rdma.Adapter) {
		b := listen(t, a, config{Depth: 1, Window: 64, Asks: 1})
		first := dial(t, a, b, dialConfig{Async: true})
		for n := range uint64(10) {
			must(t, first.Send(t.Context(), order{ID: n}))
		}
		for b.Len() == 0 {
			mailbox.Yield()
		}
		var all []*mailbox.Sender[order, receipt]
		for range 60 {
			all = append(all, dial(t, a, b, dialConfig{Async: true, Window: 64}))
		}
		if need, depth := b.IntakeDepth(); need < 300 || depth < need {
			t.Errorf("%d completions, and room for %d", need, depth)
		}
		go func() {
			for range b.C() {
			}
		}()
		for _, s := range append(all, first) {
			must(t, s.Close())
		}
		for need, _ := b.IntakeDepth(); need != 0; need, _ = b.IntakeDepth() { // a peer is taken down behind that
			mailbox.Yield()
		}
	})
}
