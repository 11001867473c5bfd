package rdma_test

import (
	"context"
	"errors"
	"testing"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/event"
)

func TestBacklog(t *testing.T) {
	onEveryPath(t, func(t *testing.T, name string) {
		x, y := newSide(t, name), newSide(t, name)
		ctx := within(t)
		ln, err := y.adapter.Listen(ctx, anywhere(y.adapter), rdma.ListenConfig{Backlog: 1})
		must(t, err)
		first := make(chan error, 1)
		go func() {
			_, err := x.adapter.Dial(ctx, ln.Addr().String(), rdma.EndpointConfig{Zone: x.zone, Private: []byte("waits")})
			first <- err
		}()
		for len(ln.Requests()) == 0 && ctx.Err() == nil {
			select { // until it waits in the backlog
			case err := <-first:
				t.Fatal("the first was answered:", err)
			default:
			}
		}
		_, err = x.adapter.Dial(ctx, ln.Addr().String(), rdma.EndpointConfig{Zone: x.zone})
		wantCode(t, err, rdma.ErrRefused, "with a full backlog")
		// The one that waits outlives the listener.
		must(t, ln.Close())
		must(t, ln.Close())
		_, err = x.adapter.Dial(ctx, ln.Addr().String(), rdma.EndpointConfig{Zone: x.zone})
		wantCode(t, err, rdma.ErrRefused, "a closed listener")
		n := 0
		for req := range ln.Requests() { // ends, since the channel is closed
			n++
			if !private(y.adapter, req.PrivateData(), "waits") || req.Listener() != ln || req.LocalAddr().String() != ln.Addr().String() || req.RemoteAddr().String() == "" {
				t.Errorf("%q from %q at %q", req.PrivateData(), req.RemoteAddr().String(), req.LocalAddr().String())
			}
			_, err := req.Accept(ctx, rdma.EndpointConfig{Zone: y.zone})
			must(t, err)
		}
		if err := <-first; n != 1 || err != nil {
			t.Errorf("%d requests, %v", n, err)
		}
	})
}

// TestFullSinkRefuses: the dispatcher's room is the backlog, and nothing counts
// as lost.
func TestFullSinkRefuses(t *testing.T) {
	onEveryPath(t, func(t *testing.T, name string) {
		x, y := newSide(t, name), newSide(t, name)
		d := event.New[*rdma.ConnRequest](event.Config{Depth: 1})
		defer d.Close()
		must(t, d.Post(nil))
		ln, err := y.adapter.Listen(within(t), anywhere(y.adapter), rdma.ListenConfig{
			Sink: rdma.NewSink(d, func(to **rdma.ConnRequest, r *rdma.ConnRequest) { *to = r })})
		must(t, err)
		_, err = x.adapter.Dial(within(t), ln.Addr().String(), rdma.EndpointConfig{Zone: x.zone})
		wantCode(t, err, rdma.ErrRefused, "with a full dispatcher")
		if d.Stats().Lost != 0 {
			t.Errorf("%d lost", d.Stats().Lost)
		}
	})
}

func TestListenErrors(t *testing.T) {
	onEveryPath(t, func(t *testing.T, name string) {
		a := open(t, name)
		ln := listen(t, a)
		_, err := a.Listen(within(t), ln.Addr().String(), rdma.ListenConfig{})
		wantCode(t, err, rdma.ErrServiceInUse, "twice")
		_, err = a.Listen(within(t), "no service", rdma.ListenConfig{})
		wantCode(t, err, rdma.ErrBadAddress, "malformed")
		_, err = a.Listen(within(t), ":0", rdma.ListenConfig{Backlog: -1})
		wantCode(t, err, rdma.ErrInvalid, "negative backlog")
		done, cancel := context.WithCancel(within(t))
		cancel()
		_, err = a.Listen(done, ":0", rdma.ListenConfig{})
		wantCode(t, err, rdma.ErrCanceled, "cancelled")
		if ln.Adapter() != a {
			t.Error("the listener's adapter")
		}
	})
}

// TestRequestIsAnsweredOnce: and errors in the arguments leave it unanswered.
func TestRequestIsAnsweredOnce(t *testing.T) {
	onEveryPath(t, func(t *testing.T, name string) {
		x, y := newSide(t, name), newSide(t, name)
		ctx := within(t)
		ln := listen(t, y.adapter)
		dialled := make(chan error, 1)
		dial := func() {
			_, err := x.adapter.Dial(ctx, ln.Addr().String(), rdma.EndpointConfig{Zone: x.zone})
			dialled <- err
		}
		go dial()
		req := <-ln.Requests()
		large := make([]byte, 1<<16)
		wantCode(t, req.Reject(large), rdma.ErrInvalid, "reject with too much private data")
		_, err := req.Accept(ctx, rdma.EndpointConfig{Zone: y.zone, Private: large})
		wantCode(t, err, rdma.ErrInvalid, "accept with too much private data")
		_, err = req.Accept(ctx, rdma.EndpointConfig{Zone: y.zone, SendDepth: -1})
		wantCode(t, err, rdma.ErrInvalid, "accept with a bad configuration")
		_, err = req.Accept(ctx, rdma.EndpointConfig{})
		wantCode(t, err, rdma.ErrState, "accept without a zone")
		_, err = req.AcceptOn(ctx, nil, rdma.ConnConfig{})
		wantCode(t, err, rdma.ErrInvalid, "accept on nothing")
		foreign := newEndpoint(t, x, rdma.EndpointConfig{Zone: x.zone})
		_, err = req.AcceptOn(ctx, foreign, rdma.ConnConfig{})
		wantCode(t, err, rdma.ErrInvalid, "accept on another adapter's endpoint")
		conn, err := req.Accept(ctx, rdma.EndpointConfig{Zone: y.zone})
		must(t, err)
		must(t, <-dialled)
		_, err = req.Accept(ctx, rdma.EndpointConfig{Zone: y.zone})
		wantCode(t, err, rdma.ErrState, "accept again")
		wantCode(t, req.Reject(nil), rdma.ErrState, "reject after accept")
		wantState(t, conn.Endpoint(), rdma.StateConnected)

		go dial()
		req = <-ln.Requests()
		must(t, req.Reject(nil))
		wantCode(t, <-dialled, rdma.ErrRejected, "dial")
		wantCode(t, req.Reject(nil), rdma.ErrState, "reject again")
	})
}

// TestAcceptOfAPeerThatLeft: the accept fails, and its endpoint is disconnected
// with all receives flushed.
func TestAcceptOfAPeerThatLeft(t *testing.T) {
	onEveryPath(t, func(t *testing.T, name string) {
		x, y := newSide(t, name), newSide(t, name)
		ln := listen(t, y.adapter)
		ctx, cancel := context.WithCancel(within(t))
		dialled := make(chan error, 1)
		go func() {
			_, err := x.adapter.Dial(ctx, ln.Addr().String(), rdma.EndpointConfig{Zone: x.zone})
			dialled <- err
		}()
		req := <-ln.Requests()
		cancel()
		wantCode(t, <-dialled, rdma.ErrCanceled, "dial")
		e := newEndpoint(t, y, rdma.EndpointConfig{Zone: y.zone})
		must(t, e.PostRecv(rdma.Recv{Cookie: 3}))
		conn, err := req.AcceptOn(within(t), e, rdma.ConnConfig{})
		if err == nil { // over a network, the news may come later
			<-conn.Context().Done()
		}
		wantState(t, e, rdma.StateDisconnected)
		if c := take(t, e.RecvCompletions(), 1)[0]; c.Status != rdma.StatusFlushed || c.Cookie != 3 {
			t.Errorf("%+v", c)
		}
	})
}

func TestConnDescribesItself(t *testing.T) {
	onEveryPath(t, func(t *testing.T, name string) {
		x, y := connect(t, name, func(a, p *rdma.EndpointConfig) { a.ReadsOut, p.ReadsIn = 8, 3 })
		if x.conn.LocalAddr().String() != y.conn.RemoteAddr().String() || x.conn.RemoteAddr().String() != y.conn.LocalAddr().String() || x.conn.RemoteAddr().String() == "" {
			t.Errorf("addresses %q-%q and %q-%q", x.conn.LocalAddr().String(), x.conn.RemoteAddr().String(), y.conn.LocalAddr().String(), y.conn.RemoteAddr().String())
		}
		if told := !iwarp(t, name); told && (x.conn.ReadsOut() != 3 || y.conn.ReadsIn() != 3) {
			t.Errorf("reads out %d, in %d; want the smaller number, 3", x.conn.ReadsOut(), y.conn.ReadsIn())
		}
		want, known := map[string]string{"soft": "loop", "soft-loop": "loop", "soft-tcp": "tcp"}[name]
		if !known {
			want = "verbs"
		}
		if x.conn.Path() != want || y.conn.Path() != want || known && x.conn.Acked() != (want == "loop") {
			t.Errorf("path %q and %q, acknowledged %t", x.conn.Path(), y.conn.Path(), x.conn.Acked())
		}
		if x.conn.Zone() != x.zone || x.conn.Endpoint().Adapter() != x.adapter || x.conn.Context().Err() != nil {
			t.Error("zone, adapter or context")
		}
	})
}

// TestShutdown ends in order: what was posted arrives.
func TestShutdown(t *testing.T) {
	onEveryPath(t, func(t *testing.T, name string) {
		x, y := connect(t, name)
		const n = 20
		for i := range n {
			must(t, y.conn.PostRecv(rdma.Recv{Into: y.mem.Slice(8*i, 8), Cookie: uint64(i)}))
			must(t, x.conn.PostSend(rdma.Send{From: x.mem.Slice(0, 8), Cookie: uint64(i)}))
		}
		must(t, x.conn.Shutdown(within(t)))
		must(t, x.conn.Shutdown(within(t))) // again does nothing
		for i, c := range take(t, y.conn.RecvCompletions(), n) {
			if c.Err() != nil || c.Cookie != uint64(i) {
				t.Errorf("%d: %+v", i, c)
			}
		}
		for i, c := range take(t, x.conn.SendCompletions(), n) {
			if c.Err() != nil || c.Cookie != uint64(i) {
				t.Errorf("%d: %+v", i, c)
			}
		}
		<-y.conn.Context().Done()
		must(t, x.conn.Close())
		must(t, x.conn.Close())
	})
}

// TestShutdownGivesUp: with work that cannot finish, the context ends it.
func TestShutdownGivesUp(t *testing.T) {
	x, y := connect(t, "soft-loop")
	must(t, x.conn.PostSend(rdma.Send{From: x.mem.Slice(0, 8), Cookie: 4})) // nobody receives
	ctx, cancel := context.WithCancelCause(within(t))
	cause := errors.New("no patience")
	go func() {
		for x.conn.State() != rdma.StateDisconnecting {
		}
		wantCode(t, x.conn.PostSend(rdma.Send{}), rdma.ErrState, "post while disconnecting")
		cancel(cause)
	}()
	if err := x.conn.Shutdown(ctx); !errors.Is(err, rdma.ErrCanceled) || !errors.Is(err, cause) {
		t.Error(err)
	}
	wantState(t, x.conn.Endpoint(), rdma.StateDisconnected)
	if c := one(t, x); c.Status != rdma.StatusFlushed || c.Cookie != 4 {
		t.Errorf("%+v", c)
	}
	<-y.conn.Context().Done()
}
