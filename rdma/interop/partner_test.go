package interop_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mem"
)

// A partner does what the orders of its peers say.
type partner struct {
	adapter *rdma.Adapter
	ln      *rdma.Listener
	ctx     context.Context
	cancel  context.CancelFunc
	quit    chan struct{} // closed when somebody said so
	once    sync.Once
	wg      sync.WaitGroup

	mu       sync.Mutex
	outcomes map[uint32]chan string
}

func startPartner(ctx context.Context, name, address string) (*partner, error) {
	p := &partner{quit: make(chan struct{}), outcomes: map[uint32]chan string{}}
	var err error
	if p.adapter, err = rdma.Open(ctx, name, rdma.OpenConfig{}); err != nil {
		return nil, err
	}
	if p.ln, err = p.adapter.Listen(ctx, address, rdma.ListenConfig{}); err != nil {
		return nil, err
	}
	p.ctx, p.cancel = context.WithCancel(ctx)
	p.wg.Go(func() {
		for r := range p.ln.Requests() {
			p.wg.Go(func() { p.answer(r) })
		}
	})
	return p, nil
}

func (p *partner) end() {
	p.ln.Close()
	p.cancel()
	p.wg.Wait()
	p.adapter.Close()
}

// outcome is where it is told how the connection of that number has gone.
func (p *partner) outcome(id uint32) chan string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.outcomes[id] == nil {
		p.outcomes[id] = make(chan string, 1)
	}
	return p.outcomes[id]
}

const fine = "fine"

func (p *partner) answer(r *rdma.ConnRequest) {
	o, filler, err := takeOrder(r.PrivateData())
	if err == nil {
		err = check(filler, int(o.ID))
	}
	if err != nil {
		_ = r.Reject([]byte(err.Error()))
		return
	}
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	switch o.Do {
	case "quit":
		_ = r.Reject(nil)
		p.once.Do(func() { close(p.quit) })
		return
	case "reject":
		_ = r.Reject(pattern(int(o.ID), o.Size))
		return
	case "tell": // how another one has gone
		text := "nothing yet"
		select {
		case text = <-p.outcome(o.ID):
		case <-ctx.Done():
		}
		_ = r.Reject([]byte(text[:min(len(text), 200)]))
		return
	}
	text := fine
	if err := p.work(ctx, r, &o); err != nil {
		text = err.Error()
	}
	p.outcome(o.ID) <- text
}

// work does what the order says, over a connection.
func (p *partner) work(ctx context.Context, r *rdma.ConnRequest, o *order) (err error) {
	size, depth := 64, 2
	if o.Do == "echo" {
		size, depth = o.Size, o.Depth
	}
	l, err := newLink(p.adapter, size, depth)
	if err != nil {
		_ = r.Reject([]byte(err.Error()))
		return err
	}
	defer l.close()
	var lent *mem.Region
	private := []byte(nil)
	switch o.Do {
	case "private":
		private = pattern(int(o.ID)+1, o.Size)
	case "lend", "misuse":
		if lent, err = l.zone.Alloc(max(1, o.Size), mem.Local|mem.RemoteRead|mem.RemoteWrite); err != nil {
			return err
		}
		defer lent.Free()
		fill(lent.Bytes()[:o.Size], 1)
		if private, err = lent.Slice(0, o.Size).Remote().MarshalBinary(); err != nil {
			return err
		}
	}
	if l.conn, err = r.AcceptOn(ctx, l.Endpoint, rdma.ConnConfig{Private: private}); err != nil {
		return err
	}
	if o.Do == "echo" {
		return p.echo(ctx, l, o)
	}
	// The connecting side speaks first, as iWARP has it.
	if m, err := l.hear(ctx); err != nil || m != "hello" {
		return fmt.Errorf("%q instead of a hello: %w", m, err)
	}
	switch o.Do {
	case "private":
		return l.bye(ctx, l.say(ctx, "hello"))
	case "lend":
		return p.lend(ctx, l, lent.Slice(0, o.Size))
	case "take":
		return p.take(ctx, l, o)
	case "storm":
		err := storm(ctx, l, o.remote(), int(o.ID), o.N)
		if err == nil {
			err = l.say(ctx, fine)
		}
		return l.bye(ctx, err)
	case "invalidated":
		return l.invalidated(ctx)
	case "invalidate":
		return l.invalidate(ctx, o.remote())
	case "misuse":
		return l.misuse(ctx, o.How, o.remote())
	case "suffer":
		if err := l.say(ctx, "hello"); err != nil {
			return err
		}
		return l.suffered(ctx)
	case "shutdown":
		return l.conn.Shutdown(ctx)
	case "abort":
		if err := l.conn.Abort(); err != nil {
			return err
		}
		return l.bye(ctx, nil)
	}
	return fmt.Errorf("an order to %q", o.Do)
}

// bye waits until the other side has ended the connection, which it must do in
// order unless something went wrong already.
func (l *link) bye(ctx context.Context, err error) error {
	if err != nil {
		return err
	}
	if err := l.cause(ctx); !errors.Is(err, rdma.ErrDisconnected) {
		return err
	}
	return nil
}

func (p *partner) echo(ctx context.Context, l *link, o *order) error {
	for i := range o.N {
		m, _, err := l.next(ctx)
		if err != nil {
			return fmt.Errorf("message %d: %w", i, err)
		}
		if m.Len() != o.Size {
			return fmt.Errorf("message %d has %d bytes instead of %d", i, m.Len(), o.Size)
		}
		if err := check(m.Bytes(), i); err != nil {
			return fmt.Errorf("message %d: %w", i, err)
		}
		// The active side may leave with the last echo, before siw knows that it
		// was sent.
		if err := l.conn.Send(ctx, m); err != nil && i == o.N-1 {
			return nil
		} else if err != nil {
			return fmt.Errorf("echo %d: %w", i, err)
		}
	}
	return l.bye(ctx, nil)
}

// lend compares its memory with the pattern that each message names.
func (p *partner) lend(ctx context.Context, l *link, lent mem.Slice) error {
	for {
		m, err := l.hear(ctx)
		if errors.Is(err, rdma.ErrDisconnected) {
			return nil
		}
		seed := 0
		if err == nil {
			_, err = fmt.Sscan(m, &seed)
		}
		if err != nil {
			return err
		}
		answer := fine
		if err := check(lent.Bytes(), seed); err != nil {
			answer = err.Error()
		}
		if err := l.say(ctx, answer[:min(len(answer), 64)]); err != nil {
			return err
		}
	}
}

// take reads the active side's memory, changes it, and says so.
func (p *partner) take(ctx context.Context, l *link, o *order) error {
	local, err := l.zone.Alloc(max(1, o.Size), mem.Local)
	if err != nil {
		return err
	}
	defer local.Free()
	here := local.Slice(0, o.Size)
	if o.Size > 0 { // siw, when it is busy, has a wrong answer to reads of nothing
		if n, err := l.conn.Read(ctx, here, o.remote()); err != nil || n != o.Size {
			return fmt.Errorf("read %d of %d bytes: %w", n, o.Size, err)
		}
		if err := check(here.Bytes(), 1); err != nil {
			return err
		}
	}
	fill(here.Bytes(), 2)
	if _, err := l.conn.Write(ctx, here, o.remote()); err != nil {
		return err
	}
	return l.bye(ctx, l.say(ctx, fine))
}

func (l *link) suffered(ctx context.Context) error {
	start := time.Now()
	err := l.cause(ctx)
	return fmt.Errorf("ended after %v: %w", time.Since(start).Round(time.Millisecond), err)
}
