package rdmatest_test

import (
	"context"
	"errors"
	"math/rand/v2"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mem"
)

// objects makes one object of each kind on another adapter of the host, connects it to itself, and closes everything. A call
// that is refused ends it; the next time all of it works.
func (e *programEnd) objects(ctx context.Context, draw *rand.Rand) error {
	a, err := e.host.h.Open(ctx, rdma.OpenConfig{})
	if err == nil {
		err = e.objectsOf(ctx, a)
		if cerr := a.Close(); err == nil {
			err = cerr
		}
	}
	if e.p.fault.harmless || err == nil {
		return err
	}
	for _, may := range []error{rdma.ErrResources, rdma.ErrClosed, rdma.ErrRefused, rdma.ErrTimeout, rdma.ErrUnreachable, rdma.ErrRejected, rdma.ErrBroken, rdma.ErrWork, rdma.ErrState, rdma.ErrDisconnected, rdma.ErrCanceled} {
		if errors.Is(err, may) {
			return nil
		}
	}
	return err
}

func (e *programEnd) objectsOf(ctx context.Context, a *rdma.Adapter) error {
	zone, err := a.NewZone()
	if err != nil {
		return err
	}
	queue, err := a.NewCompletionQueue(rdma.CompletionQueueConfig{Depth: 8})
	if err != nil {
		return err
	}
	if err := queue.Resize(400); err != nil {
		return err
	}
	shared, err := zone.NewSharedReceiveQueue(rdma.SharedReceiveConfig{Depth: 8})
	if err != nil {
		return err
	}
	if err := shared.Resize(16); err != nil {
		return err
	}
	region, err := zone.Alloc(64, mem.Local)
	if err != nil {
		return err
	}
	if err := region.Modify(mem.All); err != nil {
		return err
	}
	if err := shared.PostRecv(rdma.Recv{Into: region.Slice(0, 32)}); err != nil {
		return err
	}
	window, err := zone.NewWindow(mem.ZoneWindow)
	if err != nil {
		return err
	}
	ln, err := a.Listen(ctx, e.host.h.Name()+":0", rdma.ListenConfig{})
	if err != nil {
		return err
	}
	accepted := make(chan error, 1)
	go func() {
		request, ok := <-ln.Requests()
		if !ok {
			accepted <- nil
			return
		}
		_, err := request.Accept(ctx, rdma.EndpointConfig{Zone: zone, SharedReceives: shared, RecvCQ: queue})
		accepted <- err
	}()
	conn, err := a.Dial(ctx, ln.Addr().String(), rdma.EndpointConfig{Zone: zone})
	_ = ln.Close()
	if aerr := <-accepted; err == nil {
		err = aerr
	}
	if conn == nil {
		return err
	}
	defer conn.Endpoint().Close()
	if err != nil {
		return err
	}
	if err := conn.PostSend(rdma.Send{}); err != nil {
		return err
	}
	c, _, err := queue.Dispatcher().Wait(conn.Context(), 1) // a shared receive is not flushed
	if err == nil {
		err = c.Err()
	}
	if err == nil {
		_, err = conn.Bind(ctx, window, region.All(), mem.RemoteRead)
	}
	return err
}
