package mailbox_test

import (
	"context"
	"errors"
	"testing"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mailbox"
)

// A nil context or adapter makes every call fail with ErrInvalid, and without effect.
func TestNilArguments(t *testing.T) {
	type value = int64
	a, err := rdma.Open(t.Context(), "soft-tcp", rdma.OpenConfig{})
	must(t, err)
	defer a.Close()
	b := listen(t, a, mailbox.Config[value, value]{})
	at := b.Addr().String()
	s, err := mailbox.Dial(t.Context(), a, at, mailbox.DialConfig[value, value]{})
	must(t, err)
	defer s.Close()
	p, err := s.Go(t.Context(), 7)
	must(t, err)
	var ctx context.Context
	err1 := func(_ any, err error) error { return err }
	config, dial := mailbox.Config[value, value]{}, mailbox.DialConfig[value, value]{}
	messages := make([]mailbox.Message[value, value], 1)
	for name, call := range map[string]func() error{
		"Listen ctx":   func() error { return err1(mailbox.Listen(ctx, a, "127.0.0.1:0", config)) },
		"Listen a":     func() error { return err1(mailbox.Listen(t.Context(), nil, "127.0.0.1:0", config)) },
		"Dial ctx":     func() error { return err1(mailbox.Dial(ctx, a, at, dial)) },
		"Dial a":       func() error { return err1(mailbox.Dial(t.Context(), nil, at, dial)) },
		"Send":         func() error { return s.Send(ctx, 1) },
		"Ask":          func() error { return err1(s.Ask(ctx, 1)) },
		"Go":           func() error { return err1(s.Go(ctx, 1)) },
		"Wait":         func() error { return err1(p.Wait(ctx)) },
		"Flush":        func() error { return s.Flush(ctx) },
		"Receive":      func() error { return err1(b.Receive(ctx)) },
		"ReceiveBatch": func() error { return err1(b.ReceiveBatch(ctx, messages, 1)) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if p := recover(); p != nil {
					t.Error("panic:", p)
				}
			}()
			if err := call(); !errors.Is(err, rdma.ErrInvalid) {
				t.Errorf("%v, want ErrInvalid", err)
			}
		})
	}
	must(t, s.Send(t.Context(), 8)) // Go's value leaves before it
	for _, want := range []value{7, 8} {
		m, err := b.Receive(t.Context())
		if err != nil || m.Value != want {
			t.Fatal(m.Value, err, "want", want)
		}
		if m.Asked() {
			must(t, m.Reply(49))
		}
	}
	if answer, err := p.Wait(t.Context()); err != nil || answer != 49 {
		t.Fatal(answer, err)
	}
	if b.Len() != 0 {
		t.Error("a call with a nil context has sent a value")
	}
}
