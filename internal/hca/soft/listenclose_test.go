package soft_test

import (
	"context"
	"net"
	"sync/atomic"
	"testing"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft"
)

// lateListener notes whether anybody accepts streams after the adapter's Close has returned.
type lateListener struct {
	closed, late atomic.Bool
	done         chan struct{}
}

func (l *lateListener) Dial(context.Context, string) (net.Conn, error)       { return nil, net.ErrClosed }
func (l *lateListener) Listen(context.Context, string) (net.Listener, error) { return l, nil }
func (l *lateListener) Addr() net.Addr                                       { return &net.UnixAddr{Name: "anywhere:7"} }
func (l *lateListener) Close() error                                         { close(l.done); return nil }
func (l *lateListener) Accept() (net.Conn, error) {
	if l.closed.Load() {
		l.late.Store(true)
	}
	<-l.done
	return nil, net.ErrClosed
}

// TestListenMeetsClose: an adapter that closes while a listener is made waits for the listener's goroutine.
func TestListenMeetsClose(t *testing.T) {
	for round := range 100 {
		l := &lateListener{done: make(chan struct{})}
		d := soft.FabricDriver("late", l)
		a, err := d.Open(context.Background(), "late", hca.Options{})
		if err != nil {
			t.Fatal(err)
		}
		listened := make(chan struct{})
		go func() {
			defer close(listened)
			_, _ = a.Listen(context.Background(), hca.ListenConfig{Address: "anywhere:7", OnRequest: func(hca.ConnRequest) bool { return false }})
		}()
		for range round % 100 * 20 {
			_ = a.Attr()
		}
		if err := a.Close(); err != nil {
			t.Error(err)
		}
		l.closed.Store(true)
		<-listened
		if l.late.Load() {
			t.Fatalf("round %d: streams are accepted after Close", round)
		}
	}
}
