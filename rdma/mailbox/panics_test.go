package mailbox_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mailbox"
)

// TestCodecPanics: a program that recovers from a panic of its codec goes on with the same sender, and the mailbox
// sees nothing of it.
func TestCodecPanics(t *testing.T) {
	onEveryPath(t, func(t *testing.T, a *rdma.Adapter) {
		codec := blobs(nil)
		add := codec.Append
		codec.Append = func(b, v []byte) ([]byte, error) {
			if v[0] == 0xff {
				panic("a codec")
			}
			return add(b, v)
		}
		b := listen(t, a, blobConfig{Values: codec, Slot: 512})
		s := dial(t, a, b, blobDial{Values: codec, Window: 2, Async: true})
		for n := range 40 { // more than there is memory for
			must(t, s.Send(t.Context(), blob(uint64(n), 16)))
			func() {
				defer func() {
					if recover() == nil {
						t.Error("no panic")
					}
				}()
				_ = s.Send(t.Context(), []byte{0xff})
			}()
			must(t, s.Flush(t.Context()))
			m, err := b.Receive(t.Context())
			must(t, err)
			if string(m.Value) != string(blob(uint64(n), 16)) {
				t.Fatalf("value %d is %x", n, m.Value)
			}
		}
	})
}

// shout is a codec of strings. It panics at one of them.
func shout() *mailbox.Codec[string] {
	return &mailbox.Codec[string]{
		Name: "shout",
		Append: func(b []byte, v string) ([]byte, error) {
			if v == "panic" {
				panic("a codec")
			}
			return append(b, v...), nil
		},
		Decode: func(b []byte) (string, error) { return string(b), nil },
	}
}

// panics calls f, which must panic.
func panics(t *testing.T, f func()) {
	t.Helper()
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	f()
}

// TestCodecPanicsInAsk: an ask whose codec panics gives its place among the asks to the next.
func TestCodecPanicsInAsk(t *testing.T) {
	onEveryPath(t, func(t *testing.T, a *rdma.Adapter) {
		b := listen(t, a, mailbox.Config[string, string]{Values: shout(), Answers: shout()})
		s := dial(t, a, b, mailbox.DialConfig[string, string]{Values: shout(), Answers: shout(), Asks: 1})
		go func() {
			for m := range b.C() {
				_ = m.Reply(m.Value)
			}
		}()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		for range 3 {
			panics(t, func() { _, _ = s.Ask(ctx, "panic") })
			panics(t, func() { _, _ = s.Go(ctx, "panic") })
			if answer, err := s.Ask(ctx, "hello"); err != nil || answer != "hello" {
				t.Fatal(answer, err)
			}
		}
	})
}

// TestCodecPanicsInReply: an ask whose answer's codec panics is still open, and no memory is lost.
func TestCodecPanicsInReply(t *testing.T) {
	onEveryPath(t, func(t *testing.T, a *rdma.Adapter) {
		b := listen(t, a, mailbox.Config[string, string]{Values: shout(), Answers: shout(), AnswerMemory: 64 << 10})
		s := dial(t, a, b, mailbox.DialConfig[string, string]{Values: shout(), Answers: shout()})
		for range 100 {
			p, err := s.Go(t.Context(), "hello")
			must(t, err)
			must(t, s.Flush(t.Context()))
			m, err := b.Receive(t.Context())
			must(t, err)
			panics(t, func() { _ = m.Reply("panic") })
			must(t, m.Reply(m.Value))
			if answer, err := p.Wait(t.Context()); err != nil || answer != "hello" {
				t.Fatal(answer, err)
			}
		}
	})
}

// TestCodecPanicsInItsTurn: a call whose codec panics passes the turn on to the next.
func TestCodecPanicsInItsTurn(t *testing.T) {
	onEveryPath(t, func(t *testing.T, a *rdma.Adapter) {
		b := listen(t, a, mailbox.Config[string, string]{Values: shout(), Answers: shout(), Depth: 1})
		s := dial(t, a, b, mailbox.DialConfig[string, string]{Values: shout(), Answers: shout(), Window: 1})
		var work sync.WaitGroup
		work.Go(func() { // it waits for completions, for the others, too
			if _, err := s.Ask(t.Context(), "ask"); err != nil {
				t.Error(err)
			}
		})
		m := <-b.C()
		must(t, s.Send(t.Context(), "in the mailbox"))
		must(t, s.TrySend("in its slot"))
		for n, value := range []string{"panic", "next"} {
			work.Go(func() {
				defer func() { _ = recover() }()
				if err := s.Send(t.Context(), value); err != nil {
					t.Error(err)
				}
			})
			for s.Asking() < 4+n {
				mailbox.Yield()
			}
		}
		for range 2 {
			<-b.C()
		}
		select {
		case next := <-b.C():
			if next.Value != "next" {
				t.Error(next.Value)
			}
		case <-time.After(10 * time.Second):
			t.Error("the next value waits although there is room")
		}
		must(t, m.Reply("done"))
		work.Wait()
	})
}

// TestCodecPanicsAtAnAnswer: the panic comes out of the call of that ask, whichever call leads. The others get their
// answers, the sender goes on, and Close returns.
func TestCodecPanicsAtAnAnswer(t *testing.T) {
	onEveryPath(t, func(t *testing.T, a *rdma.Adapter) {
		cause := errors.New("a codec")
		codec := shout()
		decode := codec.Decode
		codec.Decode = func(b []byte) (string, error) {
			if string(b) == "bad" {
				panic(cause)
			}
			return decode(b)
		}
		b := listen(t, a, mailbox.Config[string, string]{Values: shout(), Answers: shout()})
		s := dial(t, a, b, mailbox.DialConfig[string, string]{Values: shout(), Answers: codec, Window: 2, Asks: 2})
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		for range 5 { // more than there are receives for
			bad, err := s.Go(ctx, "bad")
			must(t, err)
			good, err := s.Go(ctx, "good")
			must(t, err)
			must(t, s.Flush(ctx))
			for range 2 {
				m, err := b.Receive(ctx)
				must(t, err)
				must(t, m.Reply(m.Value))
			}
			if answer, err := good.Wait(ctx); err != nil || answer != "good" {
				t.Fatal(answer, err)
			}
			func() {
				defer func() {
					if err, ok := recover().(error); !ok || !errors.Is(err, cause) || !strings.Contains(err.Error(), "TestCodecPanicsAtAnAnswer") {
						t.Errorf("the panic is %v", err)
					}
				}()
				_, _ = bad.Wait(ctx)
			}()
			if _, err := bad.Wait(ctx); !errors.Is(err, rdma.ErrState) {
				t.Error(err)
			}
		}
		left, err := s.Go(ctx, "bad") // nobody waits for it any more when it is answered
		must(t, err)
		done, end := context.WithCancel(ctx)
		end()
		if _, err := left.Wait(done); !errors.Is(err, mailbox.ErrUnknown) {
			t.Error(err)
		}
		m, err := b.Receive(ctx)
		must(t, err)
		must(t, m.Reply(m.Value))
		must(t, s.Close())
	})
}
