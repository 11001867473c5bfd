package rdmatest_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"go.uber.org/goleak"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mem"
	"github.com/godapl/godapl/rdma/rdmatest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var ctx = context.Background()

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestEveryCallFails and works again.
func TestEveryCallFails(t *testing.T) {
	f := &rdmatest.Faults{}
	remove, err := rdmatest.RegisterFaulty("test-faults", "soft-loop", f)
	must(t, err)
	defer remove()
	a, err := rdma.Open(ctx, "test-faults", rdma.OpenConfig{})
	must(t, err)
	defer a.Close()
	if a.Attributes().Name != "test-faults" {
		t.Errorf("it is called %s", a.Attributes().Name)
	}
	zone, err := a.NewZone()
	must(t, err)
	queue, err := a.NewCompletionQueue(rdma.CompletionQueueConfig{Depth: 8})
	must(t, err)
	shared, err := zone.NewSharedReceiveQueue(rdma.SharedReceiveConfig{})
	must(t, err)
	ln, err := a.Listen(ctx, "127.0.0.1:0", rdma.ListenConfig{})
	must(t, err)
	go func() {
		for r := range ln.Requests() {
			r.Accept(ctx, rdma.EndpointConfig{Zone: zone, SharedReceives: shared})
		}
	}()
	dial := func() error {
		c, err := a.Dial(ctx, ln.Addr().String(), rdma.EndpointConfig{Zone: zone, RecvCQ: queue, SendCQ: queue})
		if err == nil {
			err = c.Close()
		}
		return err
	}
	conn, err := a.Dial(ctx, ln.Addr().String(), rdma.EndpointConfig{Zone: zone})
	must(t, err)
	window, err := zone.NewWindow(mem.ZoneWindow)
	must(t, err)
	region, err := zone.Alloc(8, mem.All)
	must(t, err)
	modified, err := zone.Alloc(8, mem.All)
	must(t, err)
	for call, do := range map[rdmatest.Call]func() error{
		rdmatest.Open: func() error {
			a, err := rdma.Open(ctx, "test-faults", rdma.OpenConfig{})
			if err == nil {
				a.Close()
			}
			return err
		},
		rdmatest.NewZone:                  func() error { _, err := a.NewZone(); return err },
		rdmatest.NewCompletionQueue:       func() error { _, err := a.NewCompletionQueue(rdma.CompletionQueueConfig{Depth: 8}); return err },
		rdmatest.ResizeCompletionQueue:    func() error { return queue.Resize(16) },
		rdmatest.RegisterMemory:           func() error { _, err := zone.Alloc(8, mem.All); return err },
		rdmatest.NewWindow:                func() error { _, err := zone.NewWindow(mem.ZoneWindow); return err },
		rdmatest.NewSharedReceiveQueue:    func() error { _, err := zone.NewSharedReceiveQueue(rdma.SharedReceiveConfig{}); return err },
		rdmatest.ResizeSharedReceiveQueue: func() error { return shared.Resize(300) },
		rdmatest.ConnectEndpoint:          dial,
		rdmatest.Dial:                     dial,
		rdmatest.Accept:                   dial,
		rdmatest.Post:                     func() error { return conn.PostRead(rdma.Read{Into: region.All(), From: region.Remote()}) },
		rdmatest.PostReceive:              func() error { return conn.PostRecv(rdma.Recv{}) },
		rdmatest.PostSharedReceive:        func() error { return shared.PostRecv(rdma.Recv{}) },
		rdmatest.BindWindow:               func() error { _, err := conn.Bind(ctx, window, region.All(), mem.RemoteRead); return err },
		rdmatest.ModifyMemory:             func() error { return modified.Modify(mem.All) },
		rdmatest.Listen:                   func() error { _, err := a.Listen(ctx, "127.0.0.1:0", rdma.ListenConfig{}); return err },
	} {
		must(t, do())
		f.Set(call, rdma.ErrResources)
		want := rdma.ErrResources
		if call == rdmatest.Accept {
			want = rdma.ErrRefused // is what the peer learns
		}
		if err := do(); !errors.Is(err, want) {
			t.Errorf("%v: %v", call, err)
		}
		f.Clear()
		must(t, do())
	}
}

func TestRegisterRefuses(t *testing.T) {
	f := &rdmatest.Faults{}
	for _, c := range []struct {
		name, below string
		f           *rdmatest.Faults
		want        rdma.Code
	}{
		{"test-x", "soft-loop", nil, rdma.ErrInvalid},
		{"soft", "soft-loop", f, rdma.ErrExists},
		{"test-x", "nobody", f, rdma.ErrNotFound},
	} {
		if _, err := rdmatest.RegisterFaulty(c.name, c.below, c.f); !errors.Is(err, c.want) {
			t.Errorf("%s over %s: %v, want %v", c.name, c.below, err, c.want)
		}
	}
	remove, err := rdmatest.RegisterFaulty("test-x", "soft-loop", f)
	must(t, err)
	remove()
	if _, err := rdma.Open(ctx, "test-x", rdma.OpenConfig{}); !errors.Is(err, rdma.ErrNotFound) {
		t.Errorf("it was removed: %v", err)
	}
	if rdmatest.Call(99).String() != "unknown" {
		t.Error("a call that is none has a name")
	}
}

func ExampleFaults() {
	faults := &rdmatest.Faults{}
	remove, err := rdmatest.RegisterFaulty("acme-faulty", "soft-loop", faults)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer remove()
	adapter, _ := rdma.Open(context.Background(), "acme-faulty", rdma.OpenConfig{})
	defer adapter.Close()
	faults.Set(rdmatest.NewZone, rdma.ErrResources)
	_, err = adapter.NewZone()
	fmt.Println(errors.Is(err, rdma.ErrResources))
	faults.Clear()
	_, err = adapter.NewZone()
	fmt.Println(err)
	// Output:
	// true
	// <nil>
}

func ExampleCall() {
	fmt.Println(rdmatest.RegisterMemory)
	// Output: register memory
}
