package mailbox_test

import (
	"context"
	"encoding/binary"
	"errors"
	"net"
	"os"
	"strings"
	"testing"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mailbox"
)

// order is a plain type with padding and a bool.
type order struct {
	ID     uint64
	Urgent bool
	Amount int32
	Name   [16]byte
}

type receipt struct{ ID, Total uint64 }

type (
	config     = mailbox.Config[order, receipt]
	dialConfig = mailbox.DialConfig[order, receipt]
	message    = mailbox.Message[order, receipt]
)

// paths are the adapters that the tests of behaviour run on. RDMA_DEVICES names others, to run them on devices.
var paths = func() []string {
	if names := strings.Fields(os.Getenv("RDMA_DEVICES")); len(names) > 0 {
		return names
	}
	return []string{"soft-loop", "soft-shm", "soft-tcp"}
}()

func onEveryPath(t *testing.T, f func(t *testing.T, a *rdma.Adapter)) {
	for _, name := range paths {
		t.Run(name, func(t *testing.T) {
			a, err := rdma.Open(t.Context(), name, rdma.OpenConfig{})
			if err != nil {
				t.Skip(err)
			}
			t.Cleanup(func() { _ = a.Close() })
			f(t, a)
		})
	}
}

// withoutReceives skips a test whose peer posts no receives, where that ends the connection.
func withoutReceives(t *testing.T, a *rdma.Adapter) {
	t.Helper()
	if !strings.HasPrefix(a.Name(), "soft") && !a.Attributes().Caps.WriteImmediate {
		t.Skip("an iWARP device ends the connection of a message without a receive")
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// address is where to listen on an adapter.
func address(a *rdma.Adapter) string {
	switch {
	case a.Name() == "soft-tcp":
		return "127.0.0.1:0"
	case strings.HasPrefix(a.Name(), "soft"):
		return "localhost:0"
	}
	return net.JoinHostPort(a.Attributes().Address, "0")
}

func listen[T, R any](t testing.TB, a *rdma.Adapter, cfg mailbox.Config[T, R]) *mailbox.Mailbox[T, R] {
	t.Helper()
	b, err := mailbox.Listen(context.Background(), a, address(a), cfg)
	must(t, err)
	t.Cleanup(func() { _ = b.Close() })
	return b
}

func dial[T, R any](t testing.TB, a *rdma.Adapter, b *mailbox.Mailbox[T, R], cfg mailbox.DialConfig[T, R]) *mailbox.Sender[T, R] {
	t.Helper()
	s, err := mailbox.Dial(context.Background(), a, b.Addr().String(), cfg)
	must(t, err)
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// raw is a connection to a mailbox that keeps to nothing.
type raw struct {
	*rdma.Conn
	inbox *rdma.Inbox
}

// rawSender connects to the mailbox as a sender does, with this hello.
func rawSender[T, R any](t testing.TB, a *rdma.Adapter, b *mailbox.Mailbox[T, R], hello []byte) *raw {
	t.Helper()
	zone, err := a.NewZone()
	must(t, err)
	inbox, err := zone.NewInbox(rdma.InboxConfig{Receives: 64, Size: 256})
	must(t, err)
	c, err := a.Dial(context.Background(), b.Addr().String(), rdma.EndpointConfig{Inbox: inbox, Zone: zone, Private: hello})
	must(t, err)
	t.Cleanup(func() { _ = c.Close() })
	return &raw{c, inbox}
}

// kind is the kind of the next message from the mailbox.
func (r *raw) kind(t testing.TB) byte {
	kind, _ := r.next(t)
	return kind
}

// next is the kind of the next message from the mailbox, and how many values it tells as placed.
func (r *raw) next(t testing.TB) (kind byte, placed uint64) {
	t.Helper()
	var one [1]rdma.Message
	if _, err := r.inbox.Messages().WaitBatch(t.Context(), one[:]); err != nil {
		t.Fatal(err)
	}
	defer one[0].Release()
	return one[0].Bytes()[0], binary.BigEndian.Uint64(one[0].Bytes()[16:])
}

// lostOf is the cause of the sender's context, which must have ended or be about to.
func lostOf[T, R any](t testing.TB, s *mailbox.Sender[T, R]) *mailbox.Lost {
	t.Helper()
	<-s.Context().Done()
	lost := new(mailbox.Lost)
	if !errors.As(context.Cause(s.Context()), &lost) {
		t.Fatal(context.Cause(s.Context()))
	}
	return lost
}
