package rdma_test

import (
	"errors"
	"runtime"
	"sync"
	"testing"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/event"
	"github.com/godapl/godapl/rdma/mem"
)

// TestSharedReceives: two connections take from one queue, and receives
// complete where the message came in.
func TestSharedReceives(t *testing.T) {
	onEveryPath(t, func(t *testing.T, name string) {
		x, y := newSide(t, name), newSide(t, name)
		srq, err := y.zone.NewSharedReceiveQueue(rdma.SharedReceiveConfig{Depth: 8, Segments: 2})
		must(t, err)
		var far [2]*rdma.Conn
		var near [2]*rdma.Conn
		for i := range far {
			join(t, x, y, rdma.EndpointConfig{Zone: x.zone}, rdma.EndpointConfig{Zone: y.zone, SharedReceives: srq})
			near[i], far[i] = x.conn, y.conn
		}
		wantCode(t, far[0].PostRecv(rdma.Recv{}), rdma.ErrState, "a receive on the endpoint")
		for i := range 8 {
			must(t, srq.PostRecv(rdma.Recv{Into: y.mem.Slice(100*i, 8), More: []mem.Slice{y.mem.Slice(100*i+50, 8)}, Cookie: uint64(i)}))
		}
		wantCode(t, srq.PostRecv(rdma.Recv{}), rdma.ErrQueueFull, "a ninth")
		if a, o := srq.Counts(); a != 8 || o != 8 {
			t.Errorf("counts %d and %d", a, o)
		}
		seen := map[uint64]bool{}
		for i := range 6 {
			x.mem.WriteAt([]byte{byte('a' + i)}, 0)
			must(t, near[i%2].Send(within(t), x.mem.Slice(0, 1)))
			c := take(t, far[i%2].RecvCompletions(), 1)[0]
			if c.Endpoint != far[i%2].Endpoint() || c.Length != 1 || c.Err() != nil || seen[c.Cookie] || y.mem.Bytes()[100*c.Cookie] != byte('a'+i) {
				t.Errorf("%d: %+v", i, c)
			}
			seen[c.Cookie] = true
		}
		if a, o := srq.Counts(); a != 2 || o != 2 {
			t.Errorf("counts %d and %d, want 2 and 2", a, o)
		}
		wantCode(t, srq.Resize(1), rdma.ErrState, "resize below what is posted")
		if err := srq.Resize(16); soft(name) || !errors.Is(err, rdma.ErrUnsupported) {
			must(t, err)
		}
		if soft(name) && srq.Depth() < 16 || srq.Zone() != y.zone {
			t.Errorf("depth %d", srq.Depth())
		}
		wantCode(t, srq.Close(), rdma.ErrInUse, "close")
		for i := range far {
			must(t, near[i].Shutdown(within(t)))
			<-far[i].Context().Done()
		}
		// Receives on the queue are not flushed; each endpoint tells its last.
		if a, _ := srq.Counts(); a != 2 {
			t.Errorf("%d receives are left, want 2", a)
		}
		for range far {
			ev, _, err := y.adapter.Async().Wait(within(t), 1)
			if err != nil || ev.Kind != rdma.AsyncLastReceive || ev.Endpoint == nil {
				t.Errorf("%+v, %v", ev, err)
			}
		}
		must(t, far[0].Close())
		must(t, far[1].Close())
		must(t, srq.Close())
		must(t, srq.Close())
	})
}

func TestSharedReceiveChecks(t *testing.T) {
	x := newSide(t, "soft-loop")
	other, err := x.adapter.NewZone()
	must(t, err)
	foreign, err := other.Alloc(8, mem.All)
	must(t, err)
	reader, err := x.zone.RegisterAgain(x.mem, mem.LocalRead)
	must(t, err)
	srq, err := x.zone.NewSharedReceiveQueue(rdma.SharedReceiveConfig{Segments: 2})
	must(t, err)
	ok := x.mem.Slice(0, 8)
	wantCode(t, srq.PostRecv(rdma.Recv{Into: foreign.All()}), rdma.ErrProtection, "zone")
	wantCode(t, srq.PostRecv(rdma.Recv{Into: reader.All()}), rdma.ErrPrivileges, "right")
	wantCode(t, srq.PostRecv(rdma.Recv{Into: ok.Slice(0, 9)}), rdma.ErrInvalid, "range")
	wantCode(t, srq.PostRecv(rdma.Recv{Into: ok, More: []mem.Slice{ok, ok}}), rdma.ErrInvalid, "pieces")
	wantCode(t, srq.PostRecv(rdma.Recv{Into: ok, Flags: rdma.Fence}), rdma.ErrInvalid, "flags")
	wantCode(t, srq.SetLowWatermark(-1), rdma.ErrInvalid, "negative watermark")
	wantCode(t, srq.SetLowWatermark(srq.Depth()+1), rdma.ErrInvalid, "watermark above the depth")
	_, err = x.zone.NewSharedReceiveQueue(rdma.SharedReceiveConfig{Depth: x.adapter.Attributes().MaxSharedDepth + 1})
	wantCode(t, err, rdma.ErrInvalid, "depth")
	_, err = x.zone.NewSharedReceiveQueue(rdma.SharedReceiveConfig{Segments: -1})
	wantCode(t, err, rdma.ErrInvalid, "segments")
	must(t, srq.Close())
	_, err = x.adapter.NewEndpoint(rdma.EndpointConfig{SharedReceives: srq})
	wantCode(t, err, rdma.ErrClosed, "an endpoint over a closed queue")
}

func TestLowWatermark(t *testing.T) {
	onEveryPath(t, func(t *testing.T, name string) {
		for what, own := range map[string]bool{"callback": true, "asynchronous error": false} {
			t.Run(what, func(t *testing.T) {
				x, y := newSide(t, name), newSide(t, name)
				told := make(chan *rdma.SharedReceiveQueue, 8)
				cfg := rdma.SharedReceiveConfig{}
				if own {
					cfg.Low = func(q *rdma.SharedReceiveQueue) { told <- q }
				}
				srq, err := y.zone.NewSharedReceiveQueue(cfg)
				must(t, err)
				join(t, x, y, rdma.EndpointConfig{Zone: x.zone}, rdma.EndpointConfig{Zone: y.zone, SharedReceives: srq})
				for range 3 {
					must(t, srq.PostRecv(rdma.Recv{Into: y.mem.Slice(0, 8)}))
				}
				want := func(n int) {
					t.Helper()
					for range n {
						if own {
							if q := <-told; q != srq {
								t.Error("another queue")
							}
							continue
						}
						ev, _, err := y.adapter.Async().Wait(within(t), 1)
						if err != nil || ev.Kind != rdma.AsyncLowWatermark || ev.SharedReceive != srq || ev.Err != nil {
							t.Errorf("%+v, %v", ev, err)
						}
					}
					if len(told) != 0 || y.adapter.Async().Poll(make([]rdma.AsyncError, 1)) != 0 {
						t.Error("told too often")
					}
				}
				send := func() {
					t.Helper()
					must(t, x.conn.Send(within(t), x.mem.Slice(0, 8)))
					take(t, y.conn.RecvCompletions(), 1)
				}
				must(t, srq.SetLowWatermark(2))
				send() // two left
				want(0)
				send() // one left
				want(1)
				send() // told once only
				want(0)
				must(t, srq.SetLowWatermark(1)) // at once
				want(1)
				must(t, srq.SetLowWatermark(0))
				want(0)
			})
		}
	})
}

func TestWindows(t *testing.T) {
	onEveryPath(t, func(t *testing.T, name string) {
		needsWindows(t, name)
		for what, kind := range map[string]mem.WindowKind{"zone": mem.ZoneWindow, "endpoint": mem.EndpointWindow} {
			t.Run(what, func(t *testing.T) {
				x, y := connect(t, name)
				ctx := within(t)
				local, err := y.zone.RegisterAgain(y.mem, mem.Local) // no remote right of its own
				must(t, err)
				local.WriteAt([]byte("0123456789"), 0)
				w, err := y.zone.NewWindow(kind)
				must(t, err)
				// A bind through the dispatcher.
				first, err := y.conn.PostBind(rdma.Bind{Window: w, To: local.Slice(2, 4), Rights: mem.RemoteRead, Cookie: 11})
				must(t, err)
				c := one(t, y)
				wantCompletion(t, c, rdma.Completion{Endpoint: y.conn.Endpoint(), Cookie: 11, Length: c.Length, Op: rdma.OpBind, Window: w})
				if first != w.Remote() || first.Length != 4 || first.Key == 0 || first.Key == local.Key() {
					t.Errorf("%v, %v", first, w.Remote())
				}
				if n, err := x.conn.Read(ctx, x.mem.Slice(0, 4), first); n != 4 || err != nil || string(x.mem.Bytes()[:4]) != "2345" {
					t.Errorf("%d, %v, %q", n, err, x.mem.Bytes()[:4])
				}
				wantCode(t, local.Free(), rdma.ErrInUse, "free while a window is bound")
				// Bound again, the key is another.
				if kind == mem.EndpointWindow && !soft(name) {
					_, err := y.conn.PostBind(rdma.Bind{Window: w, To: local.Slice(0, 10), Rights: mem.RemoteRead})
					wantCode(t, err, rdma.ErrState, "a device binds it once")
					_, err = y.conn.PostBind(rdma.Bind{Window: w, Flags: rdma.NoCompletion})
					must(t, err)
				}
				second, err := y.conn.Bind(ctx, w, local.Slice(0, 10), mem.RemoteRead|mem.RemoteWrite)
				must(t, err)
				if second.Key == first.Key {
					t.Error("the key is the same")
				}
				if _, err := x.conn.Write(ctx, x.mem.Slice(0, 1), second.Slice(9, 1)); err != nil {
					t.Error(err)
				}
				// The write may be on its way still. A read comes behind it.
				if _, err := x.conn.Read(ctx, x.mem.Slice(0, 1), second.Slice(9, 1)); err != nil {
					t.Error(err)
				}
				// Suppressed, and unbound: no completion, and the region is free.
				_, err = y.conn.PostBind(rdma.Bind{Window: w, Flags: rdma.NoCompletion, Cookie: 12})
				must(t, err)
				_, err = y.conn.PostBind(rdma.Bind{Window: w, Flags: rdma.NoWake, Cookie: 13})
				must(t, err)
				if c := one2(t, y); c.Cookie != 13 || c.Window != w || c.Flags != rdma.NoWake {
					t.Errorf("%+v", c)
				}
				if w.Remote() != (mem.Remote{}) {
					t.Error("an unbound window has a Remote")
				}
				must(t, local.Free())
				// And the key is dead.
				must(t, x.conn.PostRead(rdma.Read{Into: x.mem.Slice(0, 8), From: second.Slice(0, 8)}))
				if c := one(t, x); c.Err() == nil {
					t.Error("a read through an unbound window")
				}
				<-y.conn.Context().Done()
				// A flushed bind shows whatever its flags.
				_, err = y.conn.PostBind(rdma.Bind{Window: w, Flags: rdma.NoCompletion, Cookie: 14})
				must(t, err)
				if c := one(t, y); c.Status != rdma.StatusFlushed || c.Cookie != 14 || c.Window != w {
					t.Errorf("%+v", c)
				}
				must(t, w.Free())
			})
		}
	})
}

// one2 polls, for a completion that wakes nobody.
func one2(t testing.TB, s *side) rdma.Completion {
	t.Helper()
	ctx := within(t)
	for ctx.Err() == nil {
		if c, err := s.conn.SendCompletions().Dequeue(); err == nil {
			return c
		} else if !errors.Is(err, rdma.ErrQueueEmpty) {
			t.Fatal(err)
		}
	}
	t.Fatal("no completion")
	return rdma.Completion{}
}

func TestBindChecks(t *testing.T) {
	x, _ := connect(t, "soft-loop")
	other, err := x.adapter.NewZone()
	must(t, err)
	foreign, err := other.Alloc(8, mem.All)
	must(t, err)
	reader, err := x.zone.RegisterAgain(x.mem, mem.LocalRead)
	must(t, err)
	w, err := x.zone.NewWindow(mem.ZoneWindow)
	must(t, err)
	w2, err := other.NewWindow(mem.ZoneWindow)
	must(t, err)
	ok := x.mem.Slice(0, 8)
	for what, c := range map[string]struct {
		b    rdma.Bind
		code rdma.Code
	}{
		"no window":      {rdma.Bind{To: ok}, rdma.ErrInvalid},
		"range":          {rdma.Bind{Window: w, To: ok.Slice(0, 9)}, rdma.ErrInvalid},
		"zone of memory": {rdma.Bind{Window: w, To: foreign.All()}, rdma.ErrProtection},
		"zone of window": {rdma.Bind{Window: w2, To: ok}, rdma.ErrProtection},
		"right":          {rdma.Bind{Window: w, To: reader.All(), Rights: mem.RemoteWrite}, rdma.ErrPrivileges},
		"flags":          {rdma.Bind{Window: w, To: ok, Flags: rdma.Solicited}, rdma.ErrInvalid},
		"no rights":      {rdma.Bind{Window: w, To: ok}, rdma.ErrInvalid},
		"local rights":   {rdma.Bind{Window: w, To: ok, Rights: mem.Local}, rdma.ErrInvalid},
	} {
		_, err := x.conn.PostBind(c.b)
		wantCode(t, err, c.code, what)
	}
	idle := newEndpoint(t, x, rdma.EndpointConfig{Zone: x.zone})
	_, err = idle.PostBind(rdma.Bind{Window: w, To: ok})
	wantCode(t, err, rdma.ErrState, "unconnected")
	_, err = x.conn.Bind(within(t), w, ok, mem.LocalRead)
	wantCode(t, err, rdma.ErrInvalid, "a call with local rights")
	if n, _ := x.conn.Outstanding(); n != 0 {
		t.Errorf("%d posted", n)
	}
	_, err = x.conn.Bind(within(t), w, mem.Slice{}, 0)
	must(t, err) // unbinds
}

// TestSharedReceiveEndsOneByOne: what a sink does with an end of such an endpoint is in
// the order of its dispatcher, also if many end at once.
func TestSharedReceiveEndsOneByOne(t *testing.T) {
	const endpoints = 8
	onEveryPath(t, func(t *testing.T, name string) {
		x, y := newSide(t, name), newSide(t, name)
		srq, err := y.zone.NewSharedReceiveQueue(rdma.SharedReceiveConfig{Depth: 8})
		must(t, err)
		var mu sync.Mutex
		var seen []*rdma.Endpoint
		all := event.New[*rdma.Endpoint](event.Config{Depth: 4 * endpoints})
		defer all.Close()
		sink := rdma.NewSink(all, func(to **rdma.Endpoint, ev *rdma.ConnEvent) {
			if ev.Kind == rdma.Established {
				return
			}
			*to = ev.Endpoint
			mu.Lock()
			seen = append(seen, ev.Endpoint)
			mu.Unlock()
			for range 20 {
				runtime.Gosched() // the others, if they can
			}
		})
		var near []*rdma.Conn
		for range endpoints {
			join(t, x, y, rdma.EndpointConfig{Zone: x.zone}, rdma.EndpointConfig{Zone: y.zone, SharedReceives: srq, ConnEvents: sink})
			near = append(near, x.conn)
		}
		var ends sync.WaitGroup
		for _, c := range near {
			ends.Go(func() { c.Close() })
		}
		ends.Wait()
		for n := 0; n < endpoints; {
			ev, _, err := all.Wait(within(t), 1)
			must(t, err)
			if ev == nil {
				continue
			}
			mu.Lock()
			same := ev == seen[n]
			mu.Unlock()
			if !same {
				t.Errorf("end %d: the sink was told of another endpoint then", n)
			}
			n++
		}
	})
}
