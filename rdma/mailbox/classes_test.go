package mailbox_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mailbox"
)

// classes is how many classes the error of a call has. It must have one.
func classes(err error) (n int) {
	for _, class := range []error{mailbox.ErrNotDelivered, mailbox.ErrUnknown, mailbox.ErrDeclined, mailbox.ErrBadAnswer} {
		if errors.Is(err, class) {
			n++
		}
	}
	return n
}

// TestAnswerThatDoesNotDecode: the ask was delivered and answered, and its error says so. It harms neither
// the ask behind it nor the numbers at the end.
func TestAnswerThatDoesNotDecode(t *testing.T) {
	bad := order{ID: 1}
	mailbox.Spoil(&bad, 8, 2)
	onEveryPath(t, func(t *testing.T, a *rdma.Adapter) {
		t.Run("plain", func(t *testing.T) {
			badAnswers(t, a, mailbox.Config[uint64, order]{}, mailbox.DialConfig[uint64, order]{}, bad, order{ID: 2}, "bool")
		})
		t.Run("plain, over the connection", func(t *testing.T) { // values of a codec never take the short way
			values := mailbox.JSON[uint64]()
			badAnswers(t, a, mailbox.Config[uint64, order]{Values: values}, mailbox.DialConfig[uint64, order]{Values: values}, bad, order{ID: 2}, "bool")
		})
		t.Run("codec", func(t *testing.T) {
			answers := tickets()
			badAnswers(t, a, mailbox.Config[uint64, ticket]{Answers: answers}, mailbox.DialConfig[uint64, ticket]{Answers: answers},
				ticket{bad: true}, ticket{seq: 2}, "a bad ticket")
		})
	})
}

func badAnswers[R comparable](t *testing.T, a *rdma.Adapter, cfg mailbox.Config[uint64, R], dc mailbox.DialConfig[uint64, R], bad, good R, why string) {
	b := listen(t, a, cfg)
	s := dial(t, a, b, dc)
	go func() {
		for m := range b.C() {
			answer := good
			if m.Value%2 == 1 {
				answer = bad
			}
			if err := m.Reply(answer); err != nil {
				t.Error(err)
			}
		}
	}()
	check := func(err error) {
		t.Helper()
		if !errors.Is(err, mailbox.ErrBadAnswer) || classes(err) != 1 || !strings.Contains(err.Error(), why) {
			t.Error(err)
		}
	}
	_, err := s.Ask(t.Context(), 1)
	check(err)
	pending, err := s.Go(t.Context(), 3)
	must(t, err)
	_, err = pending.Wait(t.Context())
	check(err)
	if answer, err := s.Ask(t.Context(), 2); err != nil || answer != good {
		t.Errorf("%+v, %v", answer, err)
	}
	must(t, s.Close())
	if lost := lostOf(t, s); lost.Delivered != 3 || lost.Unknown != 0 {
		t.Error(lost)
	}
}

// TestAnswerThatCannotBeMade: the ask is declined, whatever error the codec returns, also one that Reply returns for other reasons.
func TestAnswerThatCannotBeMade(t *testing.T) {
	onEveryPath(t, func(t *testing.T, a *rdma.Adapter) {
		for _, cause := range []error{errors.New("no"), rdma.ErrClosed, rdma.ErrResources} {
			codec := shout()
			codec.Append = func([]byte, string) ([]byte, error) { return nil, cause }
			b := listen(t, a, mailbox.Config[uint64, string]{Answers: codec})
			s := dial(t, a, b, mailbox.DialConfig[uint64, string]{Answers: shout()})
			p, err := s.Go(t.Context(), 1)
			must(t, err)
			must(t, s.Flush(t.Context()))
			m := <-b.C()
			if err := m.Reply("x"); !errors.Is(err, cause) {
				t.Error(err)
			}
			if err := m.Reply("x"); !errors.Is(err, rdma.ErrState) {
				t.Fatalf("%v: the ask is open: %v", cause, err)
			}
			if _, err := p.Wait(t.Context()); !errors.Is(err, mailbox.ErrDeclined) {
				t.Error(err)
			}
		}
	})
}
