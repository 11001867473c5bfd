package selftest

import (
	"context"
	"sync"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mem"
)

// A Partner answers tests, one after the other, until it is closed.
type Partner struct {
	listener *rdma.Listener
	cancel   context.CancelFunc
	running  sync.WaitGroup
}

// Listen makes a partner at an address of the adapter, host:service. It answers until Close.
// The context ends the call, not the partner. Each client can write and read some memory that
// is made for it, and nothing else.
func Listen(ctx context.Context, adapter *rdma.Adapter, address string) (*Partner, error) {
	ln, err := adapter.Listen(ctx, address, rdma.ListenConfig{})
	if err != nil {
		return nil, err
	}
	p := &Partner{listener: ln}
	serving, cancel := context.WithCancel(context.WithoutCancel(ctx))
	p.cancel = cancel
	p.running.Go(func() {
		for request := range ln.Requests() {
			p.answer(serving, adapter, request)
		}
	})
	return p, nil
}

// Addr is where the partner listens.
func (p *Partner) Addr() string { return p.listener.Addr().String() }

// Close ends the partner, and waits for the test that it is answering to end.
func (p *Partner) Close() {
	p.listener.Close()
	p.cancel()
	p.running.Wait()
}

// answer serves one client. What fails here fails at the client, which tells it.
func (p *Partner) answer(ctx context.Context, adapter *rdma.Adapter, request *rdma.ConnRequest) {
	ctx, cancel := context.WithTimeout(ctx, Limit)
	defer cancel()
	e, region, err := endpoint(adapter, mem.All)
	if err != nil {
		_ = request.Reject(nil)
		return
	}
	defer e.Zone().Close()
	defer e.Close()
	place, err := region.Slice(0, size).Remote().MarshalBinary()
	if err != nil {
		_ = request.Reject(nil)
		return
	}
	conn, err := request.AcceptOn(ctx, e, rdma.ConnConfig{Private: place})
	if err != nil {
		return
	}
	defer conn.Close()
	if received(ctx, conn) != nil || conn.Send(ctx, region.Slice(0, 1)) != nil {
		return
	}
	// The client ends the connection.
	select {
	case <-conn.Context().Done():
	case <-ctx.Done():
	}
}
