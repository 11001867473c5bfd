package verbs_test

import (
	"context"
	"errors"
	"net"
	"testing"
	"time"

	"github.com/godapl/godapl/internal/hca"
)

// A context that ends just when the connection is made does not undo it: the
// consumer has been told of the connection, so it has one, and hears of its end.
func TestGiveUpTooLate(t *testing.T) {
	eachDevice(t, func(t *testing.T, a hca.Adapter) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		returned := make(chan struct{})
		x := newSide(t, a, func(ev hca.ConnEvent) {
			if ev.Kind == hca.EventEstablished {
				cancel()
				select {
				case <-returned:
					t.Error("Connect returned before its event had been delivered")
				case <-time.After(100 * time.Millisecond):
				}
			}
		})
		y := newSide(t, a, nil)
		to, accepted := y.listen(a)
		err := x.qp.Connect(ctx, to, hca.ConnParams{})
		close(returned)
		if err != nil {
			t.Fatalf("Connect: %v", err)
		}
		if err := <-accepted; err != nil {
			t.Fatalf("Accept: %v", err)
		}
		x.must(x.qp.Disconnect(false))
		for _, kind := range []hca.ConnEventKind{hca.EventEstablished, hca.EventDisconnected} {
			if ev := <-x.events; ev.Kind != kind {
				t.Errorf("event %d, want %d: %v", ev.Kind, kind, ev.Err)
			}
		}
		x.must(x.qp.Close())
	})
}

// Connect returns when its context ends, whatever the peer does, and its receives are
// flushed by then. An iWARP device keeps its queue pair until the peer answers or the
// device gives up; Connect does not wait for that.
func TestGiveUp(t *testing.T) {
	eachDevice(t, func(t *testing.T, a hca.Adapter) {
		asked := make(chan hca.ConnRequest, 1)
		l := must(a.Listen(t.Context(), hca.ListenConfig{
			Address:   net.JoinHostPort(a.Attr().Address, "0"),
			OnRequest: func(r hca.ConnRequest) bool { asked <- r; return true },
		}))(t)
		x := newSide(t, a, nil)
		x.must(x.qp.PostRecv(hca.RecvWR{ID: 1, Local: x.seg(8)}))
		ctx, cancel := context.WithCancel(t.Context())
		returned := make(chan error, 1)
		go func() { returned <- x.qp.Connect(ctx, l.Addr(), hca.ConnParams{}) }()
		r := <-asked
		cancel()
		select {
		case err := <-returned:
			if !errors.Is(err, hca.Canceled) {
				t.Errorf("Connect: %v", err)
			}
		case <-time.After(5 * time.Second): // siw takes ten
			t.Error("Connect waits for its peer")
			<-returned
		}
		if n := x.rq.Poll(x.wcs); n != 1 || x.wcs[0].ID != 1 || x.wcs[0].Status != hca.StatusFlushed {
			t.Errorf("%d entries, %+v", n, x.wcs[0])
		}
		x.must(x.qp.PostRecv(hca.RecvWR{ID: 2, Local: x.seg(8)}))
		if n := x.rq.Poll(x.wcs); n != 1 || x.wcs[0].ID != 2 || x.wcs[0].Status != hca.StatusFlushed {
			t.Errorf("posted afterwards: %d entries, %+v", n, x.wcs[0])
		}
		r.Reject(nil) // a device that lets go at once has told the listener: gone already
		x.must(x.qp.Close())
	})
}

// An adapter may be closed in the middle of calls that make and free things.
func TestCloseInTheMiddle(t *testing.T) {
	eachDevice(t, func(t *testing.T, a hca.Adapter) {
		works := []func() error{
			func() error {
				pd, err := a.NewPD()
				if err != nil {
					return err
				}
				mr, err := pd.Register(hca.Memory{Bytes: make([]byte, 4096)}, hca.LocalWrite)
				if err != nil {
					return err
				}
				if err := mr.Close(); err != nil {
					return err
				}
				return pd.Close()
			},
			func() error {
				cq, err := a.NewCQ(hca.CQConfig{Depth: 8})
				if err != nil {
					return err
				}
				return cq.Close()
			},
			func() error {
				l, err := a.Listen(context.Background(), hca.ListenConfig{
					Address: a.Attr().Address + ":0", OnRequest: func(hca.ConnRequest) bool { return false },
				})
				if err != nil {
					return err
				}
				return l.Close()
			},
		}
		ends := make(chan error, len(works))
		begun := make(chan struct{}, len(works))
		for _, work := range works {
			go func() {
				for i := 0; ; i++ {
					if err := work(); err != nil {
						ends <- err
						return
					}
					if i == 3 {
						begun <- struct{}{}
					}
				}
			}()
		}
		for range works {
			<-begun
		}
		if err := a.Close(); err != nil {
			t.Error(err)
		}
		for range works {
			if err := <-ends; !isClosed(err) {
				t.Errorf("in the middle of Close: %v", err)
			}
		}
	})
}
