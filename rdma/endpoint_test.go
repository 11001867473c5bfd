package rdma_test

import (
	"bytes"
	"context"
	"errors"
	"reflect"
	"testing"
	"time"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mem"
)

func newEndpoint(t testing.TB, s *side, cfg rdma.EndpointConfig) *rdma.Endpoint {
	t.Helper()
	e, err := s.adapter.NewEndpoint(cfg)
	must(t, err)
	t.Cleanup(func() { e.Close() })
	return e
}

func wantState(t testing.TB, e *rdma.Endpoint, want rdma.State) {
	t.Helper()
	if got := e.State(); got != want {
		t.Errorf("state %v, want %v", got, want)
	}
}

// take waits for n completions of a dispatcher.
func take(t testing.TB, d interface {
	Wait(context.Context, int) (rdma.Completion, int, error)
}, n int) []rdma.Completion {
	t.Helper()
	var list []rdma.Completion
	for range n {
		c, _, err := d.Wait(within(t), 1)
		if err != nil {
			t.Fatalf("after %d of %d completions: %v", len(list), n, err)
		}
		list = append(list, c)
	}
	return list
}

func TestEndpointLife(t *testing.T) {
	onEveryPath(t, func(t *testing.T, name string) {
		x, y := newSide(t, name), newSide(t, name)
		ln := listen(t, y.adapter)
		e := newEndpoint(t, x, rdma.EndpointConfig{Zone: x.zone, RecvDepth: 4})
		wantState(t, e, rdma.StateUnconnected)
		if e.Conn() != nil {
			t.Error("an unconnected endpoint has a connection")
		}
		must(t, e.Reset()) // does nothing
		wantCode(t, e.Abort(), rdma.ErrState, "disconnect")
		for round := range 3 {
			for i := range 3 {
				must(t, e.PostRecv(rdma.Recv{Into: x.mem.Slice(100*i, 100), Cookie: uint64(10*round + i)}))
			}
			if _, n := e.Outstanding(); n != 3 {
				t.Errorf("%d receives before the connection", n)
			}
			peer := make(chan *rdma.Conn, 1)
			go func() {
				c, err := (<-ln.Requests()).Accept(within(t), rdma.EndpointConfig{Zone: y.zone, Private: []byte("welcome")})
				if err != nil {
					t.Error(err)
				}
				peer <- c
			}()
			conn, err := e.Connect(within(t), ln.Addr().String(), rdma.ConnConfig{Private: []byte("hello")})
			must(t, err)
			other := <-peer
			wantState(t, e, rdma.StateConnected)
			if !private(x.adapter, conn.PrivateData(), "welcome") || !private(y.adapter, other.PrivateData(), "hello") || e.Conn() != conn {
				t.Errorf("private data %q and %q", conn.PrivateData(), other.PrivateData())
			}
			_, err = e.Connect(within(t), ln.Addr().String(), rdma.ConnConfig{})
			wantCode(t, err, rdma.ErrState, "connect twice")
			wantCode(t, e.Reset(), rdma.ErrState, "reset while connected")
			wantCode(t, e.Modify(e.Config()), rdma.ErrState, "modify while connected")

			copy(y.mem.Bytes(), "first")
			must(t, other.Send(within(t), y.mem.Slice(0, 5)))
			c := take(t, e.RecvCompletions(), 1)[0]
			if c.Cookie != uint64(10*round) || c.Length != 5 || c.Err() != nil || !bytes.Equal(x.mem.Bytes()[:5], []byte("first")) {
				t.Errorf("round %d: %+v, %q", round, c, x.mem.Bytes()[:5])
			}
			must(t, other.Close())
			<-conn.Context().Done()
			wantState(t, e, rdma.StateDisconnected)
			for i, c := range take(t, e.RecvCompletions(), 2) {
				if c.Status != rdma.StatusFlushed || c.Cookie != uint64(10*round+i+1) || c.Endpoint != e {
					t.Errorf("flushed: %+v", c)
				}
			}
			must(t, e.BeginShutdown()) // does nothing
			must(t, e.Reset())
			wantState(t, e, rdma.StateUnconnected)
		}
		must(t, e.Close())
		must(t, e.Close())
		wantState(t, e, rdma.StateClosed)
		wantCode(t, e.Reset(), rdma.ErrClosed, "reset")
		wantCode(t, e.BeginShutdown(), rdma.ErrClosed, "disconnect")
		wantCode(t, e.PostRecv(rdma.Recv{}), rdma.ErrClosed, "post receive")
		wantCode(t, e.PostSend(rdma.Send{}), rdma.ErrClosed, "post send")
		_, err := e.Connect(within(t), ln.Addr().String(), rdma.ConnConfig{})
		wantCode(t, err, rdma.ErrClosed, "connect")
	})
}

// TestFailedConnects: each way to fail leaves the endpoint disconnected, with
// its receives flushed, and fit for another try.
func TestFailedConnects(t *testing.T) {
	onEveryPath(t, func(t *testing.T, name string) {
		x, y := newSide(t, name), newSide(t, name)
		gone := listen(t, y.adapter)
		nobody := gone.Addr().String()
		must(t, gone.Close())
		e := newEndpoint(t, x, rdma.EndpointConfig{Zone: x.zone})
		cause := errors.New("changed my mind")
		for _, c := range []struct {
			what    string
			code    rdma.Code
			connect func(ln *rdma.Listener) error
		}{
			{"nobody listens", rdma.ErrRefused, func(*rdma.Listener) error { _, err := e.Connect(within(t), nobody, rdma.ConnConfig{}); return err }},
			{"bad address", rdma.ErrBadAddress, func(*rdma.Listener) error {
				_, err := e.Connect(within(t), "no service", rdma.ConnConfig{})
				return err
			}},
			{"rejected", rdma.ErrRejected, func(ln *rdma.Listener) error {
				go func() { must(t, (<-ln.Requests()).Reject([]byte("no room"))) }()
				_, err := e.Connect(within(t), ln.Addr().String(), rdma.ConnConfig{})
				var r *rdma.Error
				if !errors.As(err, &r) || !private(x.adapter, r.Private, "no room") {
					t.Errorf("rejected: %v, private data %q", err, r.Private)
				}
				return err
			}},
			{"timeout", rdma.ErrTimeout, func(ln *rdma.Listener) error {
				ctx, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
				defer cancel()
				_, err := e.Connect(ctx, ln.Addr().String(), rdma.ConnConfig{})
				if !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("timeout: %v", err)
				}
				return err
			}},
			{"cancelled", rdma.ErrCanceled, func(ln *rdma.Listener) error {
				ctx, cancel := context.WithCancelCause(context.Background())
				go func() { <-ln.Requests(); cancel(cause) }()
				_, err := e.Connect(ctx, ln.Addr().String(), rdma.ConnConfig{})
				if !errors.Is(err, cause) {
					t.Errorf("cancelled: %v lacks the cause", err)
				}
				return err
			}},
			{"disconnected meanwhile", rdma.ErrDisconnected, func(ln *rdma.Listener) error {
				go func() { <-ln.Requests(); wantState(t, e, rdma.StateConnecting); must(t, e.BeginShutdown()) }()
				_, err := e.Connect(within(t), ln.Addr().String(), rdma.ConnConfig{})
				return err
			}},
		} {
			t.Run(c.what, func(t *testing.T) {
				// Each has its own listener: the request of a connect that was given up may be late.
				ln := listen(t, y.adapter)
				defer e.Reset()
				must(t, e.PostRecv(rdma.Recv{Into: x.mem.Slice(0, 8), Cookie: 1}))
				must(t, e.PostRecv(rdma.Recv{Into: x.mem.Slice(8, 8), Cookie: 2}))
				wantCode(t, c.connect(ln), c.code, "connect")
				wantState(t, e, rdma.StateDisconnected)
				for i, got := range take(t, e.RecvCompletions(), 2) {
					if got.Status != rdma.StatusFlushed || got.Cookie != uint64(i+1) {
						t.Errorf("receive: %+v", got)
					}
				}
				// What is posted now is flushed at once.
				must(t, e.PostSend(rdma.Send{Cookie: 3}))
				if got := take(t, e.SendCompletions(), 1)[0]; got.Status != rdma.StatusFlushed || got.Cookie != 3 {
					t.Errorf("send: %+v", got)
				}
				if e.ConnEvents().Poll(make([]rdma.ConnEvent, 1)) != 0 {
					t.Error("an attempt that failed made a connection event")
				}
				must(t, e.Reset())
			})
		}
	})
}

func TestConnectThatChangesNothing(t *testing.T) {
	x := newSide(t, "soft-loop")
	e := newEndpoint(t, x, rdma.EndpointConfig{})
	ctx := within(t)
	_, err := e.Connect(ctx, "127.0.0.1:1", rdma.ConnConfig{})
	wantCode(t, err, rdma.ErrState, "without a zone")
	must(t, e.Modify(rdma.EndpointConfig{Zone: x.zone}))
	_, err = e.Connect(ctx, "127.0.0.1:1", rdma.ConnConfig{Private: make([]byte, 1<<16)})
	wantCode(t, err, rdma.ErrInvalid, "too much private data")
	done, cancel := context.WithCancel(ctx)
	cancel()
	_, err = e.Connect(done, "127.0.0.1:1", rdma.ConnConfig{})
	wantCode(t, err, rdma.ErrCanceled, "cancelled before")
	wantState(t, e, rdma.StateUnconnected)
}

func TestModify(t *testing.T) {
	x := newSide(t, "soft-loop")
	attr := x.adapter.Attributes()
	e := newEndpoint(t, x, rdma.EndpointConfig{RecvDepth: 3})
	cfg := e.Config()
	if cfg.SendDepth != 64 || cfg.RecvDepth != 3 || cfg.SendSegments != 4 || cfg.ReadsOut != 16 || cfg.RecvCQ != nil {
		t.Errorf("defaults: %+v", cfg)
	}
	for range 3 {
		must(t, e.PostRecv(rdma.Recv{Into: x.mem.Slice(0, 8)}))
	}
	wantCode(t, e.PostRecv(rdma.Recv{Into: x.mem.Slice(0, 8)}), rdma.ErrQueueFull, "a fourth receive")
	change := func(f func(*rdma.EndpointConfig)) error {
		cfg := e.Config()
		f(&cfg)
		return e.Modify(cfg)
	}
	other := newSide(t, "soft-loop")
	srq, err := x.zone.NewSharedReceiveQueue(rdma.SharedReceiveConfig{})
	must(t, err)
	for name, f := range map[string]func(*rdma.EndpointConfig){
		"depth below the posted":  func(c *rdma.EndpointConfig) { c.RecvDepth = 2 },
		"depth beyond the limit":  func(c *rdma.EndpointConfig) { c.SendDepth = attr.MaxSendDepth + 1 },
		"negative":                func(c *rdma.EndpointConfig) { c.RecvSegments = -1 },
		"reads beyond the limit":  func(c *rdma.EndpointConfig) { c.ReadsIn = attr.MaxReadsIn + 1 },
		"zone of another adapter": func(c *rdma.EndpointConfig) { c.Zone = other.zone },
		"shared receives":         func(c *rdma.EndpointConfig) { c.SharedReceives = srq },
	} {
		before := e.Config()
		wantCode(t, change(f), rdma.ErrInvalid, name)
		if !reflect.DeepEqual(e.Config(), before) {
			t.Errorf("%s: a refused change changed something", name)
		}
	}
	q, err := x.adapter.NewCompletionQueue(rdma.CompletionQueueConfig{Depth: 8})
	must(t, err)
	must(t, change(func(c *rdma.EndpointConfig) { c.RecvCQ, c.Zone, c.RecvDepth = q, x.zone, 4 }))
	if e.RecvCompletions() != q.Dispatcher() || e.SendCompletions() == q.Dispatcher() || e.Zone() != x.zone {
		t.Error("the queue or the zone was not taken")
	}
	wantCode(t, q.Close(), rdma.ErrInUse, "close a queue in use")
	must(t, change(func(c *rdma.EndpointConfig) { c.RecvCQ = nil }))
	must(t, q.Close())
	must(t, e.Close())
	wantCode(t, e.Modify(rdma.EndpointConfig{}), rdma.ErrClosed, "modify after close")
}

// TestCloseUnconnectedFlushes: receives that never met a connection complete,
// too.
func TestCloseUnconnectedFlushes(t *testing.T) {
	x := newSide(t, "soft-loop")
	q, err := x.adapter.NewCompletionQueue(rdma.CompletionQueueConfig{Depth: 8})
	must(t, err)
	e := newEndpoint(t, x, rdma.EndpointConfig{Zone: x.zone, RecvCQ: q})
	for i := range 3 {
		must(t, e.PostRecv(rdma.Recv{Into: x.mem.Slice(0, 8), Cookie: uint64(i)}))
	}
	must(t, e.Close())
	for i, c := range take(t, q.Dispatcher(), 3) {
		if c.Status != rdma.StatusFlushed || c.Cookie != uint64(i) || c.Endpoint != e || c.Op != rdma.OpRecv {
			t.Errorf("%+v", c)
		}
	}
	must(t, q.Close())
}

func TestReceivesOfAnotherZoneFailWhenUsed(t *testing.T) {
	onEveryPath(t, func(t *testing.T, name string) {
		x, y := newSide(t, name), newSide(t, name)
		other, err := x.adapter.NewZone()
		must(t, err)
		foreign, err := other.Alloc(64, mem.All)
		must(t, err)
		ln := listen(t, y.adapter)
		e := newEndpoint(t, x, rdma.EndpointConfig{})
		must(t, e.PostRecv(rdma.Recv{Into: foreign.All(), Cookie: 7})) // no zone yet: cannot be told
		must(t, e.Modify(rdma.EndpointConfig{Zone: x.zone}))
		wantCode(t, e.PostRecv(rdma.Recv{Into: foreign.All()}), rdma.ErrProtection, "with a zone")
		go func() {
			c, err := (<-ln.Requests()).Accept(within(t), rdma.EndpointConfig{Zone: y.zone})
			if err != nil {
				t.Error(err)
				return
			}
			c.PostSend(rdma.Send{From: y.mem.Slice(0, 8)})
		}()
		conn, err := e.Connect(within(t), ln.Addr().String(), rdma.ConnConfig{})
		must(t, err)
		c := take(t, e.RecvCompletions(), 1)[0]
		if !refusedHere(name, c.Status) || c.Cookie != 7 {
			t.Errorf("%+v", c)
		}
		<-conn.Context().Done()
		wantCode(t, context.Cause(conn.Context()), rdma.ErrBroken, "the connection")
	})
}

// TestRefusedEndpointHoldsNothing: what its configuration named can be closed.
func TestRefusedEndpointHoldsNothing(t *testing.T) {
	a := open(t, "soft-loop")
	zone, err := a.NewZone()
	must(t, err)
	srq, err := zone.NewSharedReceiveQueue(rdma.SharedReceiveConfig{})
	must(t, err)
	good, err := a.NewCompletionQueue(rdma.CompletionQueueConfig{Depth: 8})
	must(t, err)
	bad, err := a.NewCompletionQueue(rdma.CompletionQueueConfig{Depth: 8})
	must(t, err)
	must(t, bad.Close())
	_, err = a.NewEndpoint(rdma.EndpointConfig{Zone: zone, SharedReceives: srq, RecvCQ: good, SendCQ: bad})
	wantCode(t, err, rdma.ErrClosed, "an endpoint over a closed queue")
	must(t, good.Close())
	must(t, srq.Close())
	must(t, zone.Close())
	must(t, a.CloseIdle())
}
