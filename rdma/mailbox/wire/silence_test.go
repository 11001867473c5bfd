package wire_test

import (
	"context"
	"testing"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mailbox"
)

// TestSilence leaves each side alone at each step, and ends it then.
func TestSilence(t *testing.T) {
	ctx, a := open(t, "soft-tcp")
	b := listen(ctx, t, a)
	gone, cancel := context.WithCancel(ctx)
	cancel()
	_, err := mailbox.Dial(gone, a, b.ln.Addr().String(), mailbox.DialConfig[order, receipt]{})
	is(t, err, rdma.ErrCanceled)
	for _, end := range []func(*mailbox.Sender[order, receipt], *peer) error{
		func(s *mailbox.Sender[order, receipt], _ *peer) error { return s.Close() },
		func(_ *mailbox.Sender[order, receipt], p *peer) error { return p.conn.Close() },
		func(_ *mailbox.Sender[order, receipt], p *peer) error { return p.conn.Shutdown(ctx) },
	} {
		s, p := accept(b, mailbox.DialConfig[order, receipt]{}, ofOrders)
		is(t, s.Send(gone, order{}), mailbox.ErrUnknown, context.Canceled)
		asked := make(chan error)
		go func() { _, err := s.Ask(ctx, order{}); asked <- err }()
		p.next()
		p.next()
		check(t, end(s, p))
		is(t, <-asked, mailbox.ErrUnknown)
		<-s.Context().Done()
		if lost, ok := context.Cause(s.Context()).(*mailbox.Lost); !ok || lost.Unknown != 2 || lost.Settled() != 0 {
			t.Fatal(lost)
		}
	}
}
