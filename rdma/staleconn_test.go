package rdma_test

import (
	"errors"
	"testing"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mem"
)

// TestStaleConnLeavesTheNextAlone: a Conn whose endpoint has been reset and connected
// again does nothing to the new connection, and says that it is over.
func TestStaleConnLeavesTheNextAlone(t *testing.T) {
	onEveryPath(t, func(t *testing.T, name string) {
		x, y := newSide(t, name), newSide(t, name)
		ln := listen(t, y.adapter)
		e, err := x.adapter.NewEndpoint(rdma.EndpointConfig{Zone: x.zone})
		must(t, err)
		connect := func() (mine, theirs *rdma.Conn) {
			peer := make(chan *rdma.Conn, 1)
			go func() {
				c, err := (<-ln.Requests()).Accept(within(t), rdma.EndpointConfig{Zone: y.zone})
				if err != nil {
					t.Error(err)
				}
				peer <- c
			}()
			mine, err := e.Connect(within(t), ln.Addr().String(), rdma.ConnConfig{})
			must(t, err)
			return mine, <-peer
		}
		old, its := connect()
		batch, far := old.NewBatch(), y.mem.Slice(0, 8).Remote()
		must(t, batch.Write(rdma.Write{From: x.mem.Slice(0, 8), To: far}))
		must(t, its.Close())
		<-old.Context().Done()
		must(t, old.PostSend(rdma.Send{Cookie: 1})) // over, but nothing else has begun: it is flushed
		if c := take(t, e.SendCompletions(), 1)[0]; c.Status != rdma.StatusFlushed || c.Cookie != 1 {
			t.Errorf("%+v", c)
		}
		must(t, e.Reset())
		says := func(what string) { saysOver(t, what, old, batch, x.mem, far) }
		says("reset")
		now, other := connect()
		defer other.Close()
		says("connected anew")

		wantState(t, e, rdma.StateConnected)
		if s := now.State(); s != rdma.StateConnected {
			t.Errorf("the new connection is %v", s)
		}
		if n, m := now.Outstanding(); n+m != 0 {
			t.Errorf("%d requests and %d receives were posted on the new connection", n, m)
		}
		if n := e.SendCompletions().Poll(make([]rdma.Completion, 4)); n != 0 {
			t.Errorf("%d completions of posts that were refused", n)
		}
		must(t, now.PostRecv(rdma.Recv{Into: x.mem.Slice(0, 8), Cookie: 7}))
		must(t, other.Send(within(t), y.mem.Slice(0, 8)))
		if c := take(t, e.RecvCompletions(), 1)[0]; c.Cookie != 7 || c.Err() != nil {
			t.Errorf("%+v", c)
		}
		must(t, e.Close())
		wantCode(t, old.PostSend(rdma.Send{}), rdma.ErrDisconnected, "post send when the endpoint is closed")
		if s := old.State(); s != rdma.StateClosed {
			t.Errorf("%v when the endpoint is closed", s)
		}
	})
}

// saysOver wants every call on a connection to say that it is over.
func saysOver(t *testing.T, what string, old *rdma.Conn, batch *rdma.Batch, m *mem.Region, far mem.Remote) {
	t.Helper()
	ctx, at := within(t), m.Slice(0, 8)
	_, read := old.Read(ctx, at, far)
	_, write := old.Write(ctx, at, far)
	_, receive := old.Recv(ctx, at)
	_, add := old.FetchAdd(ctx, far, 1)
	_, bind := old.PostBind(rdma.Bind{To: at})
	_, post := batch.Post()
	_, readAt := old.ReaderAt(ctx, far).ReadAt(make([]byte, 8), 0)
	for call, err := range map[string]error{
		"post send":         old.PostSend(rdma.Send{From: at}),
		"post receive":      old.PostRecv(rdma.Recv{Into: at}),
		"post read":         old.PostRead(rdma.Read{Into: at, From: far}),
		"post write":        old.PostWrite(rdma.Write{From: at, To: far}),
		"post fetch-add":    old.PostFetchAdd(rdma.FetchAdd{Into: at, At: far}),
		"post compare-swap": old.PostCompareSwap(rdma.CompareSwap{Into: at, At: far}),
		"post batch":        post, "post bind": bind,
		"send": old.Send(ctx, at), "read": read, "write": write, "receive": receive, "fetch-add": add, "read at": readAt,
	} {
		if !errors.Is(err, rdma.ErrDisconnected) {
			t.Errorf("%s, %s: %v", what, call, err)
		}
	}
	for call, err := range map[string]error{
		"graceful disconnect": old.BeginShutdown(), "disconnect": old.Abort(), "shutdown": old.Shutdown(ctx), "close": old.Close(),
	} {
		if err != nil {
			t.Errorf("%s, %s: %v, though it has ended in order", what, call, err)
		}
	}
	if s := old.State(); s != rdma.StateDisconnected {
		t.Errorf("%s: the old connection is %v", what, s)
	}
	if n, m := old.Outstanding(); n+m != 0 {
		t.Errorf("%s: %d and %d outstanding on the old connection", what, n, m)
	}
	if n, _ := old.Held(); n != 0 {
		t.Errorf("%s: %d receives held by the old connection", what, n)
	}
}
