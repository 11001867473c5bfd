package rdma_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mem"
)

func TestAdapters(t *testing.T) {
	names := rdma.Adapters()
	if !slices.IsSorted(names) {
		t.Errorf("%v is not sorted", names)
	}
	for _, want := range paths {
		if !slices.Contains(names, want) {
			t.Errorf("%v lacks %s", names, want)
		}
	}
	_, err := rdma.Open(within(t), "no-such", rdma.OpenConfig{})
	if !errors.Is(err, rdma.ErrNotFound) || !strings.Contains(err.Error(), "soft-loop") {
		t.Errorf("unknown name: %v", err)
	}
	done, cancel := context.WithCancel(within(t))
	cancel()
	_, err = rdma.Open(done, "soft", rdma.OpenConfig{})
	wantCode(t, err, rdma.ErrCanceled, "cancelled")
}

func TestAttributes(t *testing.T) {
	onEveryPath(t, func(t *testing.T, name string) {
		a := open(t, name)
		at := a.Attributes()
		if a.Name() != name || at.Name != name || at.Vendor == "" || at.Address == "" {
			t.Errorf("%q: %+v", a.Name(), at)
		}
		if at.MaxSendDepth == 0 || at.MaxRecvDepth == 0 || at.MaxSegments < 4 || at.MaxPrivateData < 56 || at.MaxMessage == 0 || soft(name) && !at.Caps.ZoneWindows {
			t.Errorf("%+v", at)
		}
	})
}

// TestInUse closes everything too early, and then in order.
func TestInUse(t *testing.T) {
	onEveryPath(t, func(t *testing.T, name string) {
		needsWindows(t, name)
		a, err := rdma.Open(within(t), name, rdma.OpenConfig{})
		must(t, err)
		zone, err := a.NewZone()
		must(t, err)
		ln := listen(t, a)
		region, err := zone.Alloc(1, mem.All)
		must(t, err)
		window, err := zone.NewWindow(mem.ZoneWindow)
		must(t, err)
		srq, err := zone.NewSharedReceiveQueue(rdma.SharedReceiveConfig{})
		must(t, err)
		q, err := a.NewCompletionQueue(rdma.CompletionQueueConfig{Depth: 8})
		must(t, err)
		e, err := a.NewEndpoint(rdma.EndpointConfig{Zone: zone, SharedReceives: srq, RecvCQ: q})
		must(t, err)
		wantCode(t, a.CloseIdle(), rdma.ErrInUse, "adapter")
		if err := a.CloseIdle(); !strings.Contains(err.Error(), "it still has 1 listener, 1 endpoint, 1 shared receive queue, 1 completion queue, 1 zone") {
			t.Errorf("what is left: %v", err)
		}
		for what, close := range map[string]func() error{"queue": q.Close, "shared receive queue": srq.Close, "zone": zone.Close} {
			wantCode(t, close(), rdma.ErrInUse, what)
		}
		if err := zone.Close(); !strings.Contains(err.Error(), "it still has 1 endpoint, 1 shared receive queue, 1 region, 1 window") {
			t.Errorf("what is left: %v", err)
		}
		must(t, e.Close())
		wantCode(t, zone.Close(), rdma.ErrInUse, "zone with a shared receive queue")
		must(t, srq.Close())
		must(t, q.Close())
		wantCode(t, zone.Close(), rdma.ErrInUse, "zone with a region")
		must(t, region.Free())
		if err := zone.Close(); !errors.Is(err, rdma.ErrInUse) || !strings.Contains(err.Error(), "it still has 1 window: ") {
			t.Errorf("zone with a window: %v", err)
		}
		must(t, window.Free())
		must(t, zone.Close())
		must(t, zone.Close())
		must(t, ln.Close())
		must(t, a.CloseIdle())
		must(t, a.CloseIdle())
		must(t, a.Close())
		_, err = a.NewZone()
		wantCode(t, err, rdma.ErrClosed, "new zone")
		_, err = a.NewEndpoint(rdma.EndpointConfig{})
		wantCode(t, err, rdma.ErrClosed, "new endpoint")
		_, err = a.NewCompletionQueue(rdma.CompletionQueueConfig{Depth: 1})
		wantCode(t, err, rdma.ErrClosed, "new completion queue")
		_, err = a.Listen(within(t), ":0", rdma.ListenConfig{})
		wantCode(t, err, rdma.ErrClosed, "listen")
		_, err = zone.Alloc(1, mem.All)
		wantCode(t, err, rdma.ErrClosed, "alloc")
		_, err = zone.NewSharedReceiveQueue(rdma.SharedReceiveConfig{})
		wantCode(t, err, rdma.ErrClosed, "new shared receive queue")
	})
}

// TestAdapterCloseEndsEverything: abruptly, with everything in use.
func TestAdapterCloseEndsEverything(t *testing.T) {
	onEveryPath(t, func(t *testing.T, name string) {
		needsWindows(t, name)
		x, y := connect(t, name)
		ln := listen(t, x.adapter)
		window, err := x.zone.NewWindow(mem.ZoneWindow)
		must(t, err)
		_, err = x.conn.Bind(within(t), window, x.mem.Slice(0, 8), mem.RemoteRead)
		must(t, err)
		srq, err := x.zone.NewSharedReceiveQueue(rdma.SharedReceiveConfig{})
		must(t, err)
		q, err := x.adapter.NewCompletionQueue(rdma.CompletionQueueConfig{Depth: 8})
		must(t, err)
		idle, err := x.adapter.NewEndpoint(rdma.EndpointConfig{Zone: x.zone, SharedReceives: srq, SendCQ: q})
		must(t, err)
		must(t, x.conn.PostRecv(rdma.Recv{}))
		waits := make(chan error, 2)
		go func() { _, _, err := x.conn.SendCompletions().Wait(within(t), 1); waits <- err }()
		go func() { _, _, err := q.Dispatcher().Wait(within(t), 1); waits <- err }()
		late := x.mem.Bytes()
		must(t, x.adapter.Close())
		must(t, x.adapter.Close())
		for range 2 {
			wantCode(t, <-waits, rdma.ErrClosed, "a waiter")
		}
		<-x.conn.Context().Done()
		<-y.conn.Context().Done()
		if _, ok := <-ln.Requests(); ok {
			t.Error("the listener goes on")
		}
		wantState(t, x.conn.Endpoint(), rdma.StateClosed)
		wantState(t, idle, rdma.StateClosed)
		if !x.mem.Freed() || late[0] != 0 {
			t.Error("the region was not freed")
		}
		for what, close := range map[string]func() error{"conn": x.conn.Close, "zone": x.zone.Close, "region": x.mem.Free,
			"window": window.Free, "queue": q.Close, "shared receive queue": srq.Close, "listener": ln.Close, "endpoint": idle.Close} {
			if err := close(); err != nil {
				t.Errorf("close %s afterwards: %v", what, err)
			}
		}
		_, err = x.conn.Recv(within(t), mem.Slice{})
		if err == nil {
			t.Error("Recv after all")
		}
	})
}

// TestAdapterCloseBesideEverything closes while others connect, post and make
// things: they get errors, and everything ends.
func TestAdapterCloseBesideEverything(t *testing.T) {
	onEveryPath(t, func(t *testing.T, name string) {
		for range 5 {
			x, y := connect(t, name)
			ln := listen(t, y.adapter)
			done := make(chan struct{})
			work := []func() error{
				func() error { _, err := x.adapter.NewZone(); return err },
				func() error {
					_, err := x.adapter.Dial(within(t), ln.Addr().String(), rdma.EndpointConfig{Zone: x.zone})
					return err
				},
				func() error { _, err := x.conn.Write(within(t), x.mem.Slice(0, 8), y.mem.Remote()); return err },
				func() error { _, err := x.zone.Alloc(1, mem.All); return err },
				func() error { _, err := x.conn.Recv(within(t), x.mem.Slice(0, 8)); return err },
			}
			for _, f := range work {
				go func() {
					for f() == nil {
					}
					done <- struct{}{}
				}()
			}
			go func() {
				for req := range ln.Requests() {
					req.Reject(nil)
				}
			}()
			must(t, x.adapter.Close())
			for range work {
				<-done
			}
			must(t, ln.Close())
		}
	})
}
