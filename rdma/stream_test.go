package rdma_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/event"
	"github.com/godapl/godapl/rdma/mem"
)

// anything is an event of a program that wants all its streams in one
// dispatcher.
type anything struct {
	completion rdma.Completion
	conn       rdma.ConnEvent
	request    *rdma.ConnRequest
	async      rdma.AsyncError
}

func (a anything) String() string {
	switch {
	case a.conn.Kind != 0:
		return a.conn.Kind.String()
	case a.request != nil:
		return "request"
	case a.async.Kind != 0:
		return a.async.Kind.String()
	}
	return fmt.Sprintf("%v %d %v", a.completion.Op, a.completion.Cookie, a.completion.Status)
}

func putCompletion(to *anything, c *rdma.Completion) { to.completion = *c }
func putConn(to *anything, e *rdma.ConnEvent)        { to.conn = *e }
func putRequest(to *anything, r *rdma.ConnRequest)   { to.request = r }
func putAsync(to *anything, e *rdma.AsyncError)      { to.async = *e }

// TestOneDispatcherTakesAllStreams: requests, ESTABLISHED before completions,
// DISCONNECTED after them.
func TestOneDispatcherTakesAllStreams(t *testing.T) {
	onEveryPath(t, func(t *testing.T, name string) {
		ctx := within(t)
		all := event.New[anything](event.Config{Name: "all", Depth: 64})
		defer all.Close()
		next := func(want string) anything {
			t.Helper()
			ev, _, err := all.Wait(ctx, 1)
			if err != nil || ev.String() != want {
				t.Fatalf("event %v, %v; want %s", ev, err, want)
			}
			return ev
		}
		x := newSide(t, name)
		y, err := rdma.Open(ctx, name, rdma.OpenConfig{Async: rdma.NewSink(all, putAsync)})
		must(t, err)
		defer y.Close()
		if _, _, err := y.Async().WaitTimeout(event.Forever, 1); !errors.Is(err, rdma.ErrClosed) {
			t.Errorf("the adapter's own dispatcher beside the sink: %v", err)
		}
		zone, err := y.NewZone()
		must(t, err)
		memory, err := zone.Alloc(4096, mem.Local)
		must(t, err)
		q, err := y.NewCompletionQueue(rdma.CompletionQueueConfig{Depth: 32, Sink: rdma.NewSink(all, putCompletion)})
		must(t, err)
		if q.Depth() < 32 || q.Adapter() != y {
			t.Error("the queue of another type")
		}
		ln, err := y.Listen(ctx, anywhere(y), rdma.ListenConfig{Sink: rdma.NewSink(all, putRequest)})
		must(t, err)
		e, err := y.NewEndpoint(rdma.EndpointConfig{Zone: zone, RecvCQ: q, SendCQ: q, ConnEvents: rdma.NewSink(all, putConn)})
		must(t, err)
		for i := range 4 {
			must(t, e.PostRecv(rdma.Recv{Into: memory.Slice(16*i, 16), Cookie: uint64(i)}))
		}
		sent := make(chan error, 1)
		go func() {
			c, err := x.adapter.Dial(ctx, ln.Addr().String(), rdma.EndpointConfig{Zone: x.zone})
			for range 3 {
				if err == nil {
					err = c.Send(ctx, x.mem.Slice(0, 4))
				}
			}
			if err == nil {
				err = c.Shutdown(ctx)
			}
			sent <- err
		}()
		conn, err := next("request").request.AcceptOn(ctx, e, rdma.ConnConfig{})
		must(t, err)
		next("established")
		for i := range 3 {
			next(fmt.Sprintf("receive %d success", i))
		}
		next("receive 3 flushed")
		ev := next("disconnected")
		if ev.conn.Endpoint != e || ev.conn.Conn != conn || !errors.Is(ev.conn.Err, rdma.ErrDisconnected) {
			t.Errorf("%+v", ev.conn)
		}
		wantState(t, e, rdma.StateDisconnected)
		must(t, <-sent)
		// What is in the queue when it is closed stays with the program.
		must(t, e.PostSend(rdma.Send{Cookie: 9}))
		wantCode(t, q.Close(), rdma.ErrInUse, "close a queue in use")
		must(t, e.Close())
		must(t, q.Close())
		next("send 9 flushed")
	})
}

func TestConnEventsOfItsOwn(t *testing.T) {
	onEveryPath(t, func(t *testing.T, name string) {
		x, y := connect(t, name)
		ctx := within(t)
		early := x.conn.Endpoint().ConnEvents() // y's is asked for after the end
		must(t, y.conn.BeginShutdown())
		<-y.conn.Context().Done()
		for what, s := range map[string]*side{"early": x, "late": y} {
			d := s.conn.Endpoint().ConnEvents()
			if what == "early" && d != early {
				t.Error("another dispatcher")
			}
			for _, kind := range []rdma.ConnEventKind{rdma.Established, rdma.Disconnected} {
				ev, _, err := d.Wait(ctx, 1)
				if err != nil || ev.Kind != kind || ev.Conn != s.conn || ev.Endpoint != s.conn.Endpoint() {
					t.Errorf("%s: %+v, %v; want %v", what, ev, err, kind)
				}
			}
		}
		<-x.conn.Context().Done() // behind the event
		wantCode(t, context.Cause(x.conn.Context()), rdma.ErrDisconnected, "cause here")
		wantCode(t, context.Cause(y.conn.Context()), rdma.ErrDisconnected, "cause there")
	})
}

// TestSharedCompletionQueue: two endpoints of one queue are told apart.
func TestSharedCompletionQueue(t *testing.T) {
	onEveryPath(t, func(t *testing.T, name string) {
		x, y := newSide(t, name), newSide(t, name)
		q, err := x.adapter.NewCompletionQueue(rdma.CompletionQueueConfig{Depth: 64})
		must(t, err)
		cfg := rdma.EndpointConfig{Zone: x.zone, SendCQ: q, RecvCQ: q}
		var conns [2]*rdma.Conn
		for i := range conns {
			join(t, x, y, cfg, rdma.EndpointConfig{Zone: y.zone})
			conns[i] = x.conn
		}
		far := y.mem.Slice(0, 8).Remote()
		for i := range 6 {
			must(t, conns[i%2].PostWrite(rdma.Write{From: x.mem.Slice(0, 8), To: far, Cookie: uint64(i)}))
		}
		for i, c := range take(t, q.Dispatcher(), 6) {
			if c.Endpoint != conns[c.Cookie%2].Endpoint() || c.Err() != nil {
				t.Errorf("%d: %+v", i, c)
			}
		}
		wantCode(t, q.Close(), rdma.ErrInUse, "close")
		if x.adapter.Attributes().Caps.ResizeCompletionQueue {
			must(t, q.Resize(128))
			wantCode(t, q.Resize(0), rdma.ErrInvalid, "resize to nothing")
			if q.Depth() < 128 {
				t.Errorf("depth %d", q.Depth())
			}
		} else {
			wantCode(t, q.Resize(128), rdma.ErrUnsupported, "resize")
		}
		for _, c := range conns {
			must(t, c.Close())
		}
		must(t, q.Close())
		must(t, q.Close())
		_, err = x.adapter.NewEndpoint(cfg)
		wantCode(t, err, rdma.ErrClosed, "an endpoint over a closed queue")
		_, err = x.adapter.NewCompletionQueue(rdma.CompletionQueueConfig{Depth: -1})
		wantCode(t, err, rdma.ErrInvalid, "depth -1")
		_, err = x.adapter.NewCompletionQueue(rdma.CompletionQueueConfig{Depth: 1, Sink: rdma.SinkFunc(func(*rdma.Completion) bool { return true })})
		wantCode(t, err, rdma.ErrInvalid, "a sink without a dispatcher")
	})
}

// TestOverflowIsReported: entries that do not fit break the endpoint, loudly.
func TestOverflowIsReported(t *testing.T) {
	x, y := newSide(t, "soft-loop"), newSide(t, "soft-loop")
	q, err := x.adapter.NewCompletionQueue(rdma.CompletionQueueConfig{Depth: 4})
	must(t, err)
	join(t, x, y, rdma.EndpointConfig{Zone: x.zone, SendCQ: q, SendDepth: 32}, rdma.EndpointConfig{Zone: y.zone})
	for i := range 8 {
		x.conn.PostWrite(rdma.Write{From: x.mem.Slice(0, 8), To: y.mem.Slice(0, 8).Remote(), Cookie: uint64(i)})
	}
	ev, _, err := x.adapter.Async().Wait(within(t), 1)
	must(t, err)
	if ev.Kind != rdma.AsyncOverflow || ev.CompletionQueue != q || ev.Adapter != x.adapter || !errors.Is(ev.Err, rdma.ErrOverflow) {
		t.Errorf("%+v", ev)
	}
	<-x.conn.Context().Done()
	wantCode(t, context.Cause(x.conn.Context()), rdma.ErrBroken, "the connection")
}
