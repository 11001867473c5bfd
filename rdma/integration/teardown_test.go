package integration_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/godapl/godapl/internal/race"
	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/event"
	"github.com/godapl/godapl/rdma/mem"
)

// TestEveryOrderOfClosing closes connection, endpoint, region, zone, queue and
// listener in every order, stops after any number of them, and closes the
// adapter with the remaining objects, while both sides post, call and wait. If an object
// cannot be closed yet, the error names what prevents it, and the object stays usable.
// Nothing panics, and nothing leaks.
func TestEveryOrderOfClosing(t *testing.T) {
	for _, name := range []string{"soft-loop", "soft-tcp"} {
		t.Run(name, func(t *testing.T) {
			r := random(t)
			orders := everyOrder([]string{"conn", "endpoint", "region", "zone", "queue", "listener"})
			if all := len(orders); name == "soft-tcp" || race.Enabled {
				n := 600
				if race.Enabled {
					n = 200
				}
				orders = chosen(r, orders, n)
				t.Logf("%d of the %d orders", len(orders), all)
			}
			far := newFar(t, name)
			closeInOrder(t, far, nil) // starts what stays
			before := heldAtMost(t)
			for _, order := range orders {
				closeInOrder(t, far, order)
				if t.Failed() {
					t.Fatalf("order %v", order)
				}
			}
			noMore(t, before, 300) // the library keeps the addresses of 256 freed regions
		})
	}
}

// everyOrder gives all sequences of any number of the words.
func everyOrder(words []string) [][]string {
	all := [][]string{{}}
	for i, first := range words {
		rest := append(append([]string{}, words[:i]...), words[i+1:]...)
		for _, order := range everyOrder(rest) {
			all = append(all, append([]string{first}, order...))
		}
	}
	return all
}

func chosen(r *rand.Rand, orders [][]string, n int) [][]string {
	r.Shuffle(len(orders), func(i, j int) { orders[i], orders[j] = orders[j], orders[i] })
	return orders[:min(n, len(orders))]
}

// far is the other side, which is not closed.
type far struct {
	*side
	queue *rdma.CompletionQueue
}

func newFar(t *testing.T, name string) *far {
	t.Helper()
	// Messages that find no receive break their connection soon.
	a := made(rdma.Open(context.Background(), name, rdma.OpenConfig{ReceiveWait: 10 * time.Millisecond}))(t)
	t.Cleanup(func() { must(t, a.Close()) })
	f := &far{side: newSide(t, a, 4<<20)}
	f.queue = made(f.adapter.NewCompletionQueue(rdma.CompletionQueueConfig{Depth: 256}))(t)
	return f
}

// near is the side whose objects are closed.
type near struct {
	*side
	far      *far
	queue    *rdma.CompletionQueue
	endpoint *rdma.Endpoint
	listener *rdma.Listener
	closed   map[string]bool

	stop atomic.Bool
	busy sync.WaitGroup
}

func closeInOrder(t *testing.T, f *far, order []string) {
	t.Helper()
	n := &near{side: newSide(t, made(rdma.Open(context.Background(), f.adapter.Name(), rdma.OpenConfig{}))(t), 4<<20), far: f, closed: map[string]bool{}}
	n.queue = made(n.adapter.NewCompletionQueue(rdma.CompletionQueueConfig{Depth: 256}))(t)
	n.listener = made(n.adapter.Listen(context.Background(), "127.0.0.1:0", rdma.ListenConfig{}))(t)
	n.endpoint = made(n.adapter.NewEndpoint(rdma.EndpointConfig{Zone: n.zone, SendCQ: n.queue, RecvCQ: n.queue}))(t)
	other := made(f.adapter.NewEndpoint(rdma.EndpointConfig{Zone: f.zone, SendCQ: f.queue, RecvCQ: f.queue}))(t)
	sent := newLedger("requests", 2)
	for range 8 {
		must(t, sent.post(1, 0, func(cookie uint64) error { return other.PostRecv(rdma.Recv{Into: f.mem.Slice(0, 64), Cookie: cookie}) }))
	}
	f.conn, n.conn = linkThrough(t, n.listener, other, n.endpoint)

	n.keepBusy(t)
	n.postOnFar(sent)
	for _, what := range order {
		n.close(t, what)
	}
	n.closeAdapter(t)
	n.stop.Store(true)
	n.busy.Wait()
	n.checkClosed(t)

	ended(t, f.conn, rdma.ErrDisconnected, rdma.ErrBroken)
	must(t, other.Close())
	drain(f.queue.Dispatcher(), sent)
	sent.check(t, "the other side")
}

// keepBusy starts one goroutine that posts, one that calls, and one that waits
// for completions.
func (n *near) keepBusy(t *testing.T) {
	to := n.far.mem.Remote()
	n.busy.Go(func() {
		for i := uint64(0); !n.stop.Load(); i++ {
			size := 64 << (i % 15) // to 1 MiB, which is too much for the poster
			var err error
			switch i % 4 {
			case 0:
				err = n.endpoint.PostRecv(rdma.Recv{Into: n.mem.Slice(0, 64)})
			case 1:
				err = n.endpoint.PostRead(rdma.Read{Into: n.mem.Slice(1<<20, size), From: to.Slice(0, size)})
			case 2:
				err = n.endpoint.PostSend(rdma.Send{From: n.mem.Slice(2<<20, 64)})
			case 3:
				err = n.endpoint.PostWrite(rdma.Write{From: n.mem.Slice(2<<20, size), To: to.Slice(2<<20, size)})
			}
			if errors.Is(err, rdma.ErrClosed) {
				return
			}
			if err != nil && !errors.Is(err, rdma.ErrQueueFull) && !errors.Is(err, rdma.ErrPrivileges) {
				t.Errorf("post: %v", err)
				return
			}
		}
	})
	n.busy.Go(func() {
		for {
			if _, err := n.conn.Read(context.Background(), n.mem.Slice(3<<20, 64<<10), to.Slice(0, 64<<10)); err != nil {
				return
			}
		}
	})
	n.busy.Go(func() {
		var list [16]rdma.Completion
		for {
			if _, err := n.queue.Dispatcher().WaitBatch(context.Background(), list[:]); err != nil {
				wantCode(t, err, rdma.ErrClosed, "the wait that is ended by Close")
				return
			}
		}
	})
}

// postOnFar has the other side work, too.
func (n *near) postOnFar(sent *ledger) {
	conn, here, there := n.far.conn, n.far.mem, n.mem.Remote()
	for i := range 12 {
		size := 64 << (i * 5 % 15)
		sent.post(0, 0, func(cookie uint64) error {
			switch i % 3 {
			case 0:
				return conn.PostWrite(rdma.Write{From: here.Slice(1<<20, size), To: there.Slice(0, size), Cookie: cookie})
			case 1:
				return conn.PostRead(rdma.Read{Into: here.Slice(2<<20, size), From: there.Slice(2<<20, size), Cookie: cookie})
			}
			return conn.PostSend(rdma.Send{From: here.Slice(1<<20, 64), Cookie: cookie})
		})
	}
}

// close closes one object and checks the answer.
func (n *near) close(t *testing.T, what string) {
	t.Helper()
	var err error
	culprit := ""
	switch what {
	case "conn":
		err = n.conn.Close()
	case "endpoint":
		err = n.endpoint.Close()
	case "region":
		err = n.mem.Free()
	case "listener":
		err = n.listener.Close()
	case "queue":
		err = n.queue.Close()
		if !n.closed["endpoint"] {
			culprit = "endpoint"
		}
	case "zone":
		err = n.zone.Close()
		switch {
		case !n.closed["endpoint"]:
			culprit = "endpoint"
		case !n.closed["region"]:
			culprit = "region"
		}
	}
	if culprit != "" {
		n.wantInUse(t, err, what, culprit)
		return
	}
	if err != nil {
		t.Errorf("close %s: %v", what, err)
	}
	n.closed[what] = true
}

func (n *near) wantInUse(t *testing.T, err error, what, culprit string) {
	t.Helper()
	wantCode(t, err, rdma.ErrInUse, "close "+what)
	if err != nil && !strings.Contains(err.Error(), culprit) {
		t.Errorf("close %s: %v; it does not name the %s", what, err, culprit)
	}
}

// closeAdapter closes it in order if nothing is left, and else regardless.
func (n *near) closeAdapter(t *testing.T) {
	t.Helper()
	left := ""
	for _, what := range []string{"listener", "endpoint", "queue", "zone"} {
		if !n.closed[what] {
			left = what
		}
	}
	err := n.adapter.CloseIdle()
	if left == "" {
		must(t, err)
	} else {
		n.wantInUse(t, err, "adapter", left)
	}
	must(t, n.adapter.Close())
}

// checkClosed looks at objects of a closed adapter: closing them again is
// harmless, using them an error.
func (n *near) checkClosed(t *testing.T) {
	t.Helper()
	ended(t, n.conn, rdma.ErrDisconnected, rdma.ErrBroken)
	for _, close := range []func() error{n.zone.Close, n.mem.Free, n.queue.Close, n.conn.Close, n.endpoint.Close, n.listener.Close, n.adapter.CloseIdle, n.adapter.Close} {
		if err := close(); err != nil {
			t.Errorf("close again: %v", err)
		}
	}
	if !n.mem.Freed() || n.mem.Bytes() != nil {
		t.Error("the region is not freed")
	}
	if s := n.endpoint.State(); s != rdma.StateClosed {
		t.Errorf("the endpoint is %v", s)
	}
	ctx, cancel := shortly()
	defer cancel()
	_, zone := n.adapter.NewZone()
	_, queue := n.adapter.NewCompletionQueue(rdma.CompletionQueueConfig{Depth: 1})
	_, endpoint := n.adapter.NewEndpoint(rdma.EndpointConfig{})
	_, listener := n.adapter.Listen(ctx, "127.0.0.1:0", rdma.ListenConfig{})
	_, dialled := n.adapter.Dial(ctx, n.listener.Addr().String(), rdma.EndpointConfig{})
	_, region := n.zone.Alloc(1, mem.Local)
	_, window := n.zone.NewWindow(mem.ZoneWindow)
	_, bytes := n.mem.ReadAt(make([]byte, 1), 0)
	_, connected := n.endpoint.Connect(ctx, n.listener.Addr().String(), rdma.ConnConfig{})
	_, _, waited := n.queue.Dispatcher().Wait(ctx, 1)
	for what, err := range map[string]error{
		"new zone": zone, "new queue": queue, "new endpoint": endpoint, "listen": listener, "dial": dialled, "alloc": region,
		"new window": window, "read region": bytes, "connect": connected, "wait": waited,
		"post": n.endpoint.PostSend(rdma.Send{}), "post receive": n.endpoint.PostRecv(rdma.Recv{}), "reset": n.endpoint.Reset(),
	} {
		wantCode(t, err, rdma.ErrClosed, what)
	}
}

// TestAdapterCloseWithEverythingOpen closes an adapter from several goroutines. The adapter
// has objects of every kind, and a goroutine waits in every kind of wait.
func TestAdapterCloseWithEverythingOpen(t *testing.T) {
	for _, name := range paths {
		t.Run(name, func(t *testing.T) {
			closeEverything(t, name) // starts what stays
			before := held()
			t.Run("close", func(t *testing.T) { closeEverything(t, name) })
			noMore(t, before, 100)
		})
	}
}

func closeEverything(t *testing.T, name string) {
	x, y := newSide(t, open(t, name), 1<<20), newSide(t, open(t, name), 1<<20)
	ctx := within(t)
	var waiting sync.WaitGroup
	// wait has a goroutine wait for something, and checks how that ends.
	wait := func(what string, f func() error, codes ...rdma.Code) {
		waiting.Go(func() {
			err := f()
			var e *rdma.Error
			for _, code := range append(codes, rdma.ErrClosed) {
				if errors.As(err, &e) && e.Code == code {
					return
				}
			}
			t.Errorf("%s: %v", what, err)
		})
	}
	// A call that gets to its post when the regions are closed already finds
	// them freed before it finds the endpoint closed.
	end := []rdma.Code{rdma.ErrDisconnected, rdma.ErrBroken, rdma.ErrPrivileges}
	set := event.NewSet()
	defer set.Close()
	for i := range 12 {
		join(t, x, y, rdma.EndpointConfig{}, rdma.EndpointConfig{})
		conn := x.conn
		// The bind comes first: requests execute in order, so after a message without a
		// receive it would wait as long as the message.
		window := made(x.zone.NewWindow(mem.ZoneWindow))(t)
		made(conn.Bind(ctx, window, x.mem.Slice(0, 64), mem.RemoteRead))(t)
		d := conn.RecvCompletions()
		switch i % 6 {
		case 0:
			wait("wait", func() error { _, _, err := d.Wait(ctx, 1); return err })
		case 1:
			c := d.C()
			waiting.Go(func() {
				for range c {
				}
			})
		case 2:
			must(t, set.Add(d))
		case 3:
			wait("receive", func() error { _, err := conn.Recv(ctx, x.mem.Slice(64*i, 64)); return err }, end...)
		case 4: // nobody receives at the peer
			wait("send", func() error {
				for {
					if err := conn.Send(ctx, x.mem.Slice(0, 256<<10)); err != nil {
						return err
					}
				}
			}, end...)
		case 5:
			wait("read", func() error {
				for {
					if _, err := conn.Read(ctx, x.mem.Slice(1<<19, 1<<19), y.mem.Slice(1<<19, 1<<19).Remote()); err != nil {
						return err
					}
				}
			}, end...)
		}
		wait("connection events", func() error {
			for {
				if _, _, err := conn.Endpoint().ConnEvents().Wait(ctx, 1); err != nil {
					return err
				}
			}
		})
	}
	wantCode(t, x.mem.Free(), rdma.ErrInUse, "free a region with a window")
	wait("set", func() error {
		for {
			if _, err := set.Wait(ctx); err != nil {
				return err
			}
		}
	})
	made(x.zone.NewSharedReceiveQueue(rdma.SharedReceiveConfig{}))(t)
	made(x.adapter.NewEndpoint(rdma.EndpointConfig{Zone: x.zone}))(t)
	made(x.adapter.NewCompletionQueue(rdma.CompletionQueueConfig{Depth: 8}))(t)
	// A request that nobody answers, on both sides.
	here, there := made(x.adapter.Listen(ctx, "127.0.0.1:0", rdma.ListenConfig{}))(t), made(y.adapter.Listen(ctx, "127.0.0.1:0", rdma.ListenConfig{}))(t)
	dial := func(from *side, to *rdma.Listener, codes ...rdma.Code) {
		wait("dial", func() error {
			_, err := from.adapter.Dial(ctx, to.Addr().String(), rdma.EndpointConfig{Zone: from.zone})
			return err
		}, codes...)
	}
	dial(y, here, rdma.ErrRefused)
	dial(x, there, rdma.ErrRefused, rdma.ErrDisconnected)
	<-here.Requests()
	<-there.Requests()
	waiting.Go(func() {
		if _, ok := <-here.Requests(); ok {
			t.Error("another request came")
		}
	})
	wait("asynchronous errors", func() error {
		for {
			if _, _, err := x.adapter.Async().Wait(ctx, 1); err != nil {
				return err
			}
		}
	})
	wantCode(t, x.adapter.CloseIdle(), rdma.ErrInUse, "close idle")
	for range 3 {
		waiting.Go(func() {
			if err := x.adapter.Close(); err != nil {
				t.Errorf("close: %v", err)
			}
		})
	}
	waiting.Wait()
}
