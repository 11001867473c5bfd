package main

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mem"
)

// passive is the side that answers.
type passive struct {
	*side
	alone bool // in a process of its own
	ln    *rdma.Listener
	face  face
	pause atomic.Bool // do not poll
	echo  atomic.Bool // answer what arrives
	// Answer writes: see watch.
	watching atomic.Bool
	first    atomic.Pointer[rdma.Endpoint] // of the connected ones
	seen     uint64                        // the last value that was written
	resume   chan struct{}
	closing  chan struct{}
	work     sync.WaitGroup

	far atomic.Pointer[mem.Remote] // the other side's memory

	taken    []int        // messages, by endpoint
	streamed int64        // messages that were taken and not answered
	all      atomic.Int64 // the same, as others see it: once a batch

	answering bool // serveEvents has begun

	mu   sync.Mutex
	err  error    // an error on a goroutine
	raws []func() // end the servers of the bare peers
}

// A command is sent by the active side to the passive one.
type command struct {
	Do string // "idle", "poll", "take", "echo", "watch", "taken", or one of rawServers
	// Messages is how many must have been taken after "taken".
	Messages int64
}

type answer struct {
	Usage   usage
	Address string
	Err     string
}

func openPassive(ctx context.Context, cfg *config, alone bool) (*passive, error) {
	s, err := openSide(ctx, cfg)
	if err != nil {
		return nil, err
	}
	p := &passive{side: s, alone: alone, resume: make(chan struct{}, 1), closing: make(chan struct{})}
	p.taken = make([]int, cfg.Endpoints)
	p.pause.Store(true)
	if cfg.watches() {
		p.seen = wordAt(s.shared.Bytes(), cfg.Size-8).Load()
	}
	if p.face, err = newFace(cfg, s.receives.Dispatcher(), &p.pause); err == nil {
		p.ln, err = s.adapter.Listen(ctx, cfg.listenAddress(s.adapter), rdma.ListenConfig{})
	}
	if err != nil {
		s.adapter.Close()
		return nil, err
	}
	p.work.Go(func() {
		err := p.accept(ctx)
		select {
		case <-p.closing: // the other side may be gone before we knew it was there
		default:
			p.failed(err)
		}
	})
	p.work.Go(func() { p.failed(p.serve()) })
	return p, nil
}

// failed keeps the first error, and ends all connections: the other side must
// not wait for us.
func (p *passive) failed(err error) {
	if err == nil {
		return
	}
	p.mu.Lock()
	if p.err == nil {
		p.err = err
	}
	p.mu.Unlock()
	p.shut()
}

// do carries out a command.
func (p *passive) do(ctx context.Context, c command) (a answer) {
	var err error
	switch c.Do {
	case "idle", "poll", "take", "echo", "watch":
		p.echo.Store(c.Do == "echo")
		p.watching.Store(c.Do == "watch")
		p.pause.Store(c.Do == "idle" || c.Do == "watch")
		select {
		case p.resume <- struct{}{}:
		default:
		}
	case "taken":
		for p.all.Load() < c.Messages && !p.shutting.Load() && ctx.Err() == nil {
			time.Sleep(50 * time.Microsecond) // do not disturb the goroutine that takes them
		}
	case "raw event":
		err = p.serveEvents()
	default:
		a.Address, err = p.startRaw(ctx, c.Do)
	}
	p.mu.Lock()
	err = errors.Join(err, p.err)
	p.mu.Unlock()
	if err != nil {
		a.Err = err.Error()
	}
	if p.alone {
		a.Usage = usageNow()
	}
	return a
}

func (p *passive) close() error {
	close(p.closing)
	p.ln.Close()
	p.shut()
	p.mu.Lock()
	for _, end := range p.raws {
		end()
	}
	p.mu.Unlock()
	p.work.Wait()
	return p.err
}
