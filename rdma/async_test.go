package rdma_test

import (
	"context"
	"testing"
	"time"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/event"
)

// outcome is what an asynchronous call says in the end.
type outcome struct {
	conn *rdma.Conn
	err  error
}

// asked gives a request that was made without waiting, and how that ends.
func asked(t *testing.T, name string, active, passive *side, e *rdma.Endpoint, ctx context.Context) (*rdma.ConnRequest, *rdma.Listener, chan outcome) {
	t.Helper()
	ln := listen(t, passive.adapter)
	done := make(chan outcome, 1)
	must(t, e.ConnectAsync(ctx, ln.Addr().String(), rdma.ConnConfig{Private: []byte("hi")}, func(c *rdma.Conn, err error) { done <- outcome{c, err} }))
	if s := e.State(); s != rdma.StateConnecting {
		t.Fatalf("it is %v when ConnectAsync returns", s)
	}
	return <-ln.Requests(), ln, done
}

func TestConnectAndAcceptAsync(t *testing.T) {
	onEveryPath(t, func(t *testing.T, name string) {
		active, passive := newSide(t, name), newSide(t, name)
		e, err := active.adapter.NewEndpoint(rdma.EndpointConfig{Zone: active.zone, Tag: 7})
		must(t, err)
		req, _, done := asked(t, name, active, passive, e, within(t))
		other, err := passive.adapter.NewEndpoint(rdma.EndpointConfig{Zone: passive.zone})
		must(t, err)
		accepted := make(chan outcome, 1)
		must(t, req.AcceptAsync(within(t), other, rdma.ConnConfig{Private: []byte("ho")}, func(c *rdma.Conn, err error) { accepted <- outcome{c, err} }))
		if s := other.State(); s != rdma.StateAccepting && s != rdma.StateConnected {
			t.Errorf("it is %v when AcceptAsync returns", s)
		}
		wantCode(t, req.AcceptAsync(within(t), other, rdma.ConnConfig{}, func(*rdma.Conn, error) {}), rdma.ErrState, "accept twice")
		a, b := <-done, <-accepted
		must(t, a.err)
		must(t, b.err)
		if !private(active.adapter, a.conn.PrivateData(), "ho") || !private(passive.adapter, b.conn.PrivateData(), "hi") || e.Tag() != 7 {
			t.Errorf("private data %q, %q, tag %d", a.conn.PrivateData(), b.conn.PrivateData(), e.Tag())
		}
		wantCode(t, e.ConnectAsync(within(t), "127.0.0.1:1", rdma.ConnConfig{}, func(*rdma.Conn, error) {}), rdma.ErrState, "connect twice")
	})
}

// expiring is a context whose deadline has come when over is closed: however late the
// request is on a busy machine, the deadline comes behind it.
type expiring struct {
	context.Context
	over chan struct{}
}

func (e expiring) Done() <-chan struct{} { return e.over }

func (e expiring) Err() error {
	select {
	case <-e.over:
		return context.DeadlineExceeded
	default:
		return nil
	}
}

func TestConnectAsyncEnds(t *testing.T) {
	onEveryPath(t, func(t *testing.T, name string) {
		active, passive := newSide(t, name), newSide(t, name)
		e, err := active.adapter.NewEndpoint(rdma.EndpointConfig{Zone: active.zone})
		must(t, err)
		ctx := expiring{within(t), make(chan struct{})}
		_, _, done := asked(t, name, active, passive, e, ctx)
		close(ctx.over)
		wantCode(t, (<-done).err, rdma.ErrTimeout, "no answer")
		must(t, e.Reset())
		_, _, done = asked(t, name, active, passive, e, within(t))
		must(t, e.Abort())
		wantCode(t, (<-done).err, rdma.ErrDisconnected, "given up")
		must(t, e.Reset())
		// Close waits for the attempt.
		_, _, done = asked(t, name, active, passive, e, within(t))
		must(t, e.Close())
		if len(done) != 1 {
			t.Fatal("Close has returned before the attempt was over")
		}
		wantCode(t, (<-done).err, rdma.ErrClosed, "closed")
	})
}

// A context that is done already is an outcome like others, not a refusal: the time
// may be up just before the call or just behind it.
func TestConnectAsyncWithoutTime(t *testing.T) {
	onEveryPath(t, func(t *testing.T, name string) {
		s := newSide(t, name)
		e, err := s.adapter.NewEndpoint(rdma.EndpointConfig{Zone: s.zone})
		must(t, err)
		ctx, cancel := context.WithTimeout(context.Background(), 0)
		defer cancel()
		done := make(chan error, 1)
		must(t, e.ConnectAsync(ctx, "127.0.0.1:1", rdma.ConnConfig{}, func(_ *rdma.Conn, err error) { done <- err }))
		wantCode(t, <-done, rdma.ErrTimeout, "no time")
		if st := e.State(); st != rdma.StateDisconnected {
			t.Errorf("it is %v afterwards", st)
		}
	})
}

func TestHandOff(t *testing.T) {
	onEveryPath(t, func(t *testing.T, name string) {
		active, passive := newSide(t, name), newSide(t, name)
		e, err := active.adapter.NewEndpoint(rdma.EndpointConfig{Zone: active.zone})
		must(t, err)
		req, _, done := asked(t, name, active, passive, e, within(t))
		closed, target := listen(t, passive.adapter), listen(t, passive.adapter)
		closed.Close()
		wantCode(t, req.HandOff(closed), rdma.ErrRefused, "to a closed listener")
		wantCode(t, req.HandOff(nil), rdma.ErrInvalid, "to nobody")
		must(t, req.HandOff(target))
		wantCode(t, req.Reject(nil), rdma.ErrState, "answer what was handed off")
		second := <-target.Requests()
		if !private(passive.adapter, second.PrivateData(), "hi") || second.RemoteAddr().String() != req.RemoteAddr().String() {
			t.Errorf("it has %q of %s", second.PrivateData(), second.RemoteAddr().String())
		}
		must(t, second.Reject([]byte("no")))
		wantCode(t, (<-done).err, rdma.ErrRejected, "rejected")
	})
}

func TestHandleRequestsMayRefuse(t *testing.T) {
	onEveryPath(t, func(t *testing.T, name string) {
		active, passive := newSide(t, name), newSide(t, name)
		ln, err := passive.adapter.Listen(within(t), anywhere(passive.adapter), rdma.ListenConfig{
			Sink: rdma.SinkFunc(func(*rdma.ConnRequest) bool { return false })})
		must(t, err)
		defer ln.Close()
		_, err = active.adapter.Dial(within(t), ln.Addr().String(), rdma.EndpointConfig{Zone: active.zone})
		wantCode(t, err, rdma.ErrRefused, "refused by the handler")
	})
}

func TestWatermarks(t *testing.T) {
	onEveryPath(t, func(t *testing.T, name string) {
		told := make(chan rdma.AsyncError, 8)
		a, err := rdma.Open(within(t), name, rdma.OpenConfig{Async: rdma.SinkFunc(func(e *rdma.AsyncError) bool { told <- *e; return true })})
		must(t, err)
		defer a.Close()
		zone, err := a.NewZone()
		must(t, err)
		region, err := zone.Alloc(4096, 0x33)
		must(t, err)
		passive, active := &side{adapter: a, zone: zone, mem: region}, newSide(t, name)
		join(t, active, passive, rdma.EndpointConfig{Zone: active.zone}, rdma.EndpointConfig{Zone: zone})
		post := func() { must(t, passive.conn.PostRecv(rdma.Recv{Into: region.Slice(0, 64)})) }
		post()
		must(t, passive.conn.Endpoint().SetWatermarks(1, -1))
		if len(told) != 0 {
			t.Fatal("told at the mark; it is to be above")
		}
		post()
		if e := <-told; e.Kind != rdma.AsyncHighWatermark || e.Endpoint != passive.conn.Endpoint() {
			t.Fatalf("told %+v", e)
		}
		post()
		if len(told) != 0 {
			t.Fatal("told twice per arming")
		}
		must(t, passive.conn.Endpoint().SetWatermarks(2, 3)) // above soft already
		if e := <-told; e.Kind != rdma.AsyncHighWatermark {
			t.Fatalf("told %+v", e)
		}
		post()
		<-passive.conn.Context().Done()
		wantCode(t, context.Cause(passive.conn.Context()), rdma.ErrBroken, "above hard")
		<-active.conn.Context().Done()
	})
}

// TestWatermarksOfCalls: the receives that waiting calls post count like others.
func TestWatermarksOfCalls(t *testing.T) {
	onEveryPath(t, func(t *testing.T, name string) {
		x, _ := connect(t, name)
		must(t, x.conn.Endpoint().SetWatermarks(-1, 1))
		ended := make(chan error, 2)
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		for i := range cap(ended) {
			go func() {
				_, err := x.conn.Recv(ctx, x.mem.Slice(64*i, 64))
				ended <- err
			}()
		}
		for range cap(ended) {
			wantCode(t, <-ended, rdma.ErrBroken, "above hard")
		}
	})
}

// TestWatermarksOfBatches: so do those of a batch.
func TestWatermarksOfBatches(t *testing.T) {
	onEveryPath(t, func(t *testing.T, name string) {
		x, _ := connect(t, name)
		must(t, x.conn.Endpoint().SetWatermarks(-1, 2))
		b := x.conn.NewBatch()
		for range 2 {
			must(t, b.Recv(rdma.Recv{Into: x.mem.Slice(0, 64)}))
		}
		_, err := b.Post()
		must(t, err)
		if err := x.conn.Context().Err(); err != nil {
			t.Fatal("ended at the mark: ", err)
		}
		must(t, b.Recv(rdma.Recv{Into: x.mem.Slice(0, 64)}))
		_, err = b.Post()
		must(t, err)
		select {
		case <-x.conn.Context().Done():
		case <-time.After(patience):
			t.Error("above the mark, and the connection goes on")
		}
	})
}

// TestGracefulAtOnce disconnects gracefully as soon as the connection is reported,
// while Connect has not returned: what was posted before is done all the same.
func TestGracefulAtOnce(t *testing.T) {
	onEveryPath(t, func(t *testing.T, name string) {
		active, passive := newSide(t, name), newSide(t, name)
		ln := listen(t, passive.adapter)
		for range 60 {
			events := event.New[rdma.ConnEvent](event.Config{})
			sink := rdma.NewSink(events, func(to, from *rdma.ConnEvent) { *to = *from })
			e, err := active.adapter.NewEndpoint(rdma.EndpointConfig{Zone: active.zone, ConnEvents: sink})
			must(t, err)
			other, err := passive.adapter.NewEndpoint(rdma.EndpointConfig{Zone: passive.zone})
			must(t, err)
			must(t, other.PostRecv(rdma.Recv{Into: passive.mem.Slice(0, 64)}))
			must(t, e.ConnectAsync(within(t), ln.Addr().String(), rdma.ConnConfig{}, func(*rdma.Conn, error) {}))
			must(t, (<-ln.Requests()).AcceptAsync(within(t), other, rdma.ConnConfig{}, func(*rdma.Conn, error) {}))
			_, _, err = events.Wait(within(t), 1)
			must(t, err)
			must(t, e.PostSend(rdma.Send{From: active.mem.Slice(0, 8)}))
			must(t, e.BeginShutdown())
			for _, d := range []*event.Dispatcher[rdma.Completion]{e.SendCompletions(), other.RecvCompletions()} {
				c, _, err := d.Wait(within(t), 1)
				must(t, err)
				if c.Status != rdma.StatusOK {
					t.Fatalf("%v ended with %v", c.Op, c.Status)
				}
			}
			must(t, e.Close())
			must(t, other.Close())
			events.Close()
		}
	})
}
