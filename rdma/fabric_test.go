package rdma_test

import (
	"bytes"
	"context"
	"errors"
	"net"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mem"
)

// pipes is a fabric of pipes in memory.
type pipes struct {
	mu        sync.Mutex
	listeners map[string]*pipeListener
}

type pipeListener struct {
	p      *pipes
	addr   string
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func newPipes() *pipes { return &pipes{listeners: map[string]*pipeListener{}} }

func (p *pipes) Listen(_ context.Context, address string) (net.Listener, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.listeners[address] != nil {
		return nil, rdma.ErrServiceInUse
	}
	l := &pipeListener{p: p, addr: address, conns: make(chan net.Conn), closed: make(chan struct{})}
	p.listeners[address] = l
	return l, nil
}

func (p *pipes) Dial(ctx context.Context, address string) (net.Conn, error) {
	p.mu.Lock()
	l := p.listeners[address]
	p.mu.Unlock()
	if l == nil {
		return nil, rdma.ErrRefused
	}
	ours, theirs := net.Pipe()
	select {
	case l.conns <- theirs:
		return ours, nil
	case <-l.closed:
		return nil, rdma.ErrRefused
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (l *pipeListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *pipeListener) Close() error {
	l.once.Do(func() {
		close(l.closed)
		l.p.mu.Lock()
		delete(l.p.listeners, l.addr)
		l.p.mu.Unlock()
	})
	return nil
}

func (l *pipeListener) Addr() net.Addr { return pipeAddr(l.addr) }

type pipeAddr string

func (a pipeAddr) Network() string { return "pipe" }
func (a pipeAddr) String() string  { return string(a) }

// TestRegisteredFabric moves data over pipes in memory.
func TestRegisteredFabric(t *testing.T) {
	const name = "acme-pipe"
	must(t, rdma.RegisterFabric(name, newPipes()))
	defer rdma.UnregisterFabric(name)
	if !slices.Contains(rdma.Adapters(), name) {
		t.Errorf("%v lacks %s", rdma.Adapters(), name)
	}
	wantCode(t, rdma.RegisterFabric(name, newPipes()), rdma.ErrExists, "register again")
	x, y := newSide(t, name), newSide(t, name)
	ctx := within(t)
	ln, err := y.adapter.Listen(ctx, "anywhere:7471", rdma.ListenConfig{})
	must(t, err)
	defer ln.Close()
	_, err = y.adapter.Listen(ctx, "anywhere:7471", rdma.ListenConfig{})
	wantOwnCode(t, err, rdma.ErrServiceInUse, "listen twice")
	accepted := make(chan error, 1)
	go func() {
		var err error
		y.conn, err = (<-ln.Requests()).Accept(ctx, rdma.EndpointConfig{Zone: y.zone})
		accepted <- err
	}()
	x.conn, err = x.adapter.Dial(ctx, "anywhere:7471", rdma.EndpointConfig{Zone: x.zone})
	must(t, err)
	must(t, <-accepted)
	want := noise(1 << 20)
	far, err := y.zone.Alloc(len(want), mem.All)
	must(t, err)
	if _, err := x.conn.WriterAt(ctx, far.Remote()).WriteAt(want, 0); err != nil {
		t.Fatal(err)
	}
	got := make([]byte, len(want))
	if _, err := x.conn.ReaderAt(ctx, far.Remote()).ReadAt(got, 0); err != nil || !bytes.Equal(got, want) {
		t.Fatal(err, bytes.Equal(got, want))
	}
	must(t, x.conn.Shutdown(ctx))
	<-y.conn.Context().Done()
	_, err = x.adapter.Dial(ctx, "nowhere:1", rdma.EndpointConfig{Zone: x.zone})
	wantOwnCode(t, err, rdma.ErrRefused, "nobody there")
	must(t, rdma.UnregisterFabric(name))
	wantCode(t, rdma.UnregisterFabric(name), rdma.ErrNotFound, "unregister again")
	_, err = rdma.Open(ctx, name, rdma.OpenConfig{})
	wantCode(t, err, rdma.ErrNotFound, "open afterwards")
}

// wantOwnCode wants the code in the error itself: programs switch on it.
func wantOwnCode(t *testing.T, err error, code rdma.Code, what string) {
	t.Helper()
	var e *rdma.Error
	if !errors.As(err, &e) || e.Code != code {
		t.Errorf("%s: %v, want %v", what, err, code)
	}
}

func TestRegisterChecksTheName(t *testing.T) {
	for _, name := range []string{"", "acme", "-tls", "acme-", "soft-mine", "Acme-tls", "acme-t ls", "soft", "soft-loop"} {
		wantCode(t, rdma.RegisterFabric(name, newPipes()), rdma.ErrInvalid, name)
	}
	wantCode(t, rdma.RegisterFabric("acme-tls", nil), rdma.ErrInvalid, "no fabric")
	wantCode(t, rdma.UnregisterFabric("soft"), rdma.ErrNotFound, "the built-in adapter")
}

// TestRegisterOnce: of many concurrent attempts, one succeeds.
func TestRegisterOnce(t *testing.T) {
	const name = "acme-race"
	for range 20 {
		var wg sync.WaitGroup
		var won atomic.Int32
		for range 4 {
			wg.Go(func() {
				switch err := rdma.RegisterFabric(name, newPipes()); {
				case err == nil:
					won.Add(1)
				case !errors.Is(err, rdma.ErrExists):
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if won.Load() != 1 {
			t.Errorf("%d registered", won.Load())
		}
		must(t, rdma.UnregisterFabric(name))
	}
}
