package rdma_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/event"
	"github.com/godapl/godapl/rdma/mem"
)

// orders is an endpoint of the fake adapter whose streams all go to one
// dispatcher.
type orders struct {
	t *testing.T
	f *fake
	d *event.Dispatcher[anything]
	e *rdma.Endpoint
	a *rdma.Adapter
}

func newOrders(t *testing.T, shared bool) *orders {
	o := &orders{t: t, f: &fake{}, d: event.New[anything](event.Config{})}
	t.Cleanup(func() { o.d.Close() })
	o.a = openFake(t, o.f)
	z, err := o.a.NewZone()
	must(t, err)
	q, err := o.a.NewCompletionQueue(rdma.CompletionQueueConfig{Depth: 64, Sink: rdma.NewSink(o.d, putCompletion)})
	must(t, err)
	cfg := rdma.EndpointConfig{Zone: z, RecvCQ: q}
	if shared {
		cfg.ConnEvents = rdma.NewSink(o.d, putConn)
	}
	o.e, err = o.a.NewEndpoint(cfg)
	must(t, err)
	return o
}

// poll takes what is there, one at a time.
func (o *orders) poll() []string {
	var list []string
	for {
		ev, err := o.d.Dequeue()
		if err != nil {
			return list
		}
		list = append(list, ev.String())
	}
}

func (o *orders) want(want ...string) {
	o.t.Helper()
	if got := o.poll(); strings.Join(got, ", ") != strings.Join(want, ", ") {
		o.t.Errorf("events %q, want %q", got, want)
	}
}

func TestCompletionsWaitForEstablished(t *testing.T) {
	o := newOrders(t, true)
	o.f.connect = func(q *fakeQP) error {
		q.recv.push(q.receipt(1), q.receipt(2)) // a quick peer
		o.want()
		q.established()
		q.recv.push(q.receipt(3))
		return nil
	}
	_, err := o.e.Connect(within(t), "x:1", rdma.ConnConfig{})
	must(t, err)
	o.want("established", "receive 1 success", "receive 2 success", "receive 3 success")
	o.f.qp.recv.push(o.f.qp.receipt(4))
	o.f.qp.ended()
	o.want("receive 4 success", "disconnected")
}

// TestEstablishedInsideAPoll: the adapter reports it while the drain that found
// the first completions goes on.
func TestEstablishedInsideAPoll(t *testing.T) {
	for _, size := range []int{1, 2, 3, 64} {
		o := newOrders(t, true)
		o.f.connect = func(q *fakeQP) error {
			q.recv.push(q.receipt(1), q.receipt(2))
			q.recv.inPoll = func() {
				q.established()
				q.recv.push(q.receipt(3))
				q.ended() // and at once the end
			}
			list := make([]anything, size)
			var got []string
			for range 20 {
				for _, ev := range list[:o.d.Poll(list)] {
					got = append(got, ev.String())
				}
			}
			if s := strings.Join(got, ", "); s != "established, receive 1 success, receive 2 success, receive 3 success, disconnected" {
				t.Errorf("batches of %d: %s", size, s)
			}
			return nil
		}
		_, err := o.e.Connect(within(t), "x:1", rdma.ConnConfig{})
		must(t, err)
	}
}

// TestHeldCompletionsOfAFailedConnect come out when it has failed.
func TestHeldCompletionsOfAFailedConnect(t *testing.T) {
	o := newOrders(t, true)
	o.f.connect = func(q *fakeQP) error {
		wc := q.receipt(1)
		wc.Status = hca.StatusFlushed
		q.recv.push(wc)
		o.want()
		return hca.NewError(hca.Refused, "connect", "", "")
	}
	_, err := o.e.Connect(within(t), "x:1", rdma.ConnConfig{})
	wantCode(t, err, rdma.ErrRefused, "connect")
	o.want("receive 1 flushed")
}

// TestCompletionsOfAnotherDispatcherDoNotWait: there is no order to keep.
func TestCompletionsOfAnotherDispatcherDoNotWait(t *testing.T) {
	o := newOrders(t, false)
	o.f.connect = func(q *fakeQP) error {
		q.recv.push(q.receipt(1))
		o.want("receive 1 success")
		q.established()
		return nil
	}
	_, err := o.e.Connect(within(t), "x:1", rdma.ConnConfig{})
	must(t, err)
}

// TestKeptReceivesThatAreRefused complete with an error, once.
func TestKeptReceivesThatAreRefused(t *testing.T) {
	o := newOrders(t, false)
	for i := range 3 {
		must(t, o.e.PostRecv(rdma.Recv{Cookie: uint64(i)}))
	}
	o.f.recvs = func(wrs []hca.RecvWR) (int, error) { return 1, errors.New("no more") }
	o.f.connect = func(q *fakeQP) error { q.established(); return nil }
	_, err := o.e.Connect(within(t), "x:1", rdma.ConnConfig{})
	must(t, err)
	o.want("receive 1 local endpoint error", "receive 2 local endpoint error")
	must(t, o.e.Close())
	o.want()
}

// connected gives a connection of the fake adapter.
func (o *orders) connected() (*rdma.Conn, *fakeQP) {
	o.t.Helper()
	o.f.connect = func(q *fakeQP) error { q.established(); return nil }
	c, err := o.e.Connect(context.Background(), "x:1", rdma.ConnConfig{})
	must(o.t, err)
	return c, o.f.qp
}

// TestFlushedCallsTellTheCause, although it comes after their completion.
func TestFlushedCallsTellTheCause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOrders(t, false)
		c, q := o.connected()
		got := make(chan error, 1)
		go func() {
			_, err := c.Recv(context.Background(), mem.Slice{})
			got <- err
		}()
		wr := <-q.received
		q.recv.push(hca.WC{ID: wr.ID, Flags: wr.Flags, Owner: q.cfg.Owner, Op: hca.OpRecv, Status: hca.StatusFlushed})
		synctest.Wait()
		if len(got) != 0 {
			t.Errorf("the call did not wait for the cause: %v", <-got)
		}
		q.ended()
		var e *rdma.Error
		if err := <-got; !errors.As(err, &e) || e.Code != rdma.ErrDisconnected || e.Status != rdma.StatusFlushed {
			t.Errorf("%v", err)
		}
		o.d.Close()
		o.a.Close()
	})
}

// TestCallsEndThoughTheAdapterForgetsThem: Close lets nobody wait for ever.
func TestCallsEndThoughTheAdapterForgetsThem(t *testing.T) {
	o := newOrders(t, false)
	c, q := o.connected()
	got := make(chan error, 1)
	go func() {
		_, err := c.Recv(context.Background(), mem.Slice{})
		got <- err
	}()
	wr := <-q.received
	q.ended()
	must(t, o.e.Close())
	wantCode(t, <-got, rdma.ErrDisconnected, "receive")
	// Should the completion come after all, it is dropped.
	q.recv.push(hca.WC{ID: wr.ID, Flags: wr.Flags, Owner: q.cfg.Owner, Op: hca.OpRecv, Status: hca.StatusFlushed})
	o.want()
}

func TestSuppressedBindsAreQuiet(t *testing.T) {
	o := newOrders(t, false)
	c, q := o.connected()
	w, err := c.Zone().NewWindow(mem.ZoneWindow)
	must(t, err)
	for _, flags := range []rdma.Flags{0, rdma.Fence, rdma.NoCompletion} {
		_, err := c.PostBind(rdma.Bind{Window: w, Flags: flags})
		must(t, err)
	}
	for i, want := range []hca.Flags{hca.Private, hca.Private | hca.Fence, hca.Private | hca.Quiet} {
		if q.sent[i].Flags != want || q.sent[i].Bind == nil {
			t.Errorf("bind %d: flags %#x, want %#x", i, q.sent[i].Flags, want)
		}
	}
}

func TestClosedAdapterTakesNothing(t *testing.T) {
	o := newOrders(t, false)
	must(t, o.a.Close())
	_, err := o.a.NewZone()
	wantCode(t, err, rdma.ErrClosed, "zone")
	_, err = o.a.NewCompletionQueue(rdma.CompletionQueueConfig{Depth: 8})
	wantCode(t, err, rdma.ErrClosed, "completion queue")
	_, err = o.a.NewEndpoint(rdma.EndpointConfig{})
	wantCode(t, err, rdma.ErrClosed, "endpoint")
}

func TestAsyncErrorsNameTheirObject(t *testing.T) {
	o := newOrders(t, false)
	o.f.connect = func(q *fakeQP) error { q.established(); return nil }
	_, err := o.e.Connect(within(t), "x:1", rdma.ConnConfig{})
	must(t, err)
	cause := errors.New("smoke")
	kinds := map[hca.AsyncKind]rdma.AsyncKind{
		hca.AsyncAdapterFailed: rdma.AsyncAdapterFailed, hca.AsyncCQOverflow: rdma.AsyncOverflow,
		hca.AsyncQPBroken: rdma.AsyncEndpointBroken, hca.AsyncSRQFailed: rdma.AsyncSharedReceiveFailed,
		hca.AsyncPortDown: rdma.AsyncPortDown, hca.AsyncPortUp: rdma.AsyncPortUp,
	}
	for from, to := range kinds {
		o.f.async(hca.AsyncEvent{Kind: from, Object: o.f.qp.cfg.Owner, Err: cause})
		ev, err := o.a.Async().Dequeue()
		if err != nil || ev.Kind != to || ev.Endpoint != o.e || ev.Adapter != o.a || !errors.Is(ev.Err, cause) {
			t.Errorf("%v: %+v, %v", to, ev, err)
		}
	}
	o.f.async(hca.AsyncEvent{Kind: hca.AsyncCQOverflow, Object: hca.CQ(o.f.cqs[0])})
	if ev, err := o.a.Async().Dequeue(); err != nil || ev.CompletionQueue == nil || ev.CompletionQueue.Dispatcher().Post(rdma.Completion{}) == nil || ev.Endpoint != nil {
		t.Errorf("%+v, %v", ev, err)
	}
	// Those that do not fit are logged, and block nobody.
	for range 100 {
		o.f.async(hca.AsyncEvent{Kind: hca.AsyncPortUp})
	}
}

// TestLocalMemoryOfReads: where the adapter says so, it needs the remote right.
func TestLocalMemoryOfReads(t *testing.T) {
	x, y := connect(t, "soft-loop")
	local, err := x.zone.RegisterAgain(x.mem, mem.LocalWrite)
	must(t, err)
	err = x.conn.PostRead(rdma.Read{Into: local.Slice(0, 8), From: y.mem.Slice(0, 8).Remote()})
	if x.adapter.Attributes().Caps.ReadNeedsRemoteWrite {
		wantCode(t, err, rdma.ErrPrivileges, "read")
	} else {
		must(t, err)
	}
}

// TestHeldCompletionsOfAClosedEndpoint come out although its attempt to connect
// has not returned yet.
func TestHeldCompletionsOfAClosedEndpoint(t *testing.T) {
	o := newOrders(t, true)
	pushed, goOn := make(chan struct{}), make(chan struct{})
	o.f.connect = func(q *fakeQP) error {
		q.recv.push(q.receipt(1))
		o.want()
		close(pushed)
		<-goOn
		return hca.NewError(hca.Closed, "connect", "", "")
	}
	done := make(chan error, 1)
	go func() {
		_, err := o.e.Connect(context.Background(), "x:1", rdma.ConnConfig{})
		done <- err
	}()
	<-pushed
	must(t, o.e.Close())
	o.want("receive 1 success")
	close(goOn)
	wantCode(t, <-done, rdma.ErrClosed, "connect")
	o.want()
}

// TestCallsWaitForRoom, although what makes room tells nobody: requests whose
// success is suppressed leave no completion.
func TestCallsWaitForRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOrders(t, false)
		c, _ := o.connected()
		begin := time.Now()
		tries := 0
		o.f.send = func(q *fakeQP, wr hca.SendWR) error {
			tries++
			if time.Since(begin) < 5*time.Millisecond {
				return hca.NewError(hca.QueueFull, "post", "", "")
			}
			q.cfg.SendCQ.(*fakeCQ).push(hca.WC{ID: wr.ID, Flags: wr.Flags, Owner: q.cfg.Owner, Op: wr.Op})
			return nil
		}
		must(t, c.Send(context.Background(), mem.Slice{}))
		if tries < 5 || tries > 50 {
			t.Errorf("%d tries in 5 ms", tries)
		}
		begin = time.Now().Add(time.Hour)
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		wantCode(t, c.Send(ctx, mem.Slice{}), rdma.ErrTimeout, "no room in time")
		o.d.Close()
		o.a.Close()
	})
}

// TestRequestsAfterTheEndAreRefused: an adapter may still have one on its way.
func TestRequestsAfterTheEndAreRefused(t *testing.T) {
	o := newOrders(t, false)
	ln, err := o.a.Listen(context.Background(), "fake:1", rdma.ListenConfig{})
	must(t, err)
	if !o.f.listens.OnRequest(nil) || len(ln.Requests()) != 1 {
		t.Error("a request was refused")
	}
	must(t, ln.Close())
	if o.f.listens.OnRequest(nil) {
		t.Error("a request was taken after Close")
	}
}

func TestNamesOfDevicesAreTaken(t *testing.T) {
	newOrders(t, false)
	wantCode(t, rdma.RegisterFabric(fakeName, newPipes()), rdma.ErrExists, "the name of a device")
}

func TestWatermarkIsChecked(t *testing.T) {
	o := newOrders(t, false)
	z, err := o.a.NewZone()
	must(t, err)
	srq, err := z.NewSharedReceiveQueue(rdma.SharedReceiveConfig{})
	must(t, err)
	must(t, srq.SetLowWatermark(8))
	wantCode(t, srq.SetLowWatermark(9), rdma.ErrInvalid, "above the depth")
	wantCode(t, srq.SetLowWatermark(-1), rdma.ErrInvalid, "negative")
}
