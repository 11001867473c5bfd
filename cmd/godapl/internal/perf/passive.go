package perf

import (
	"context"
	"errors"
	"strings"
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
	conns    chan *rdma.Conn               // with -mode conn: the connection
	resume   chan struct{}
	closing  chan struct{}
	work     sync.WaitGroup

	far atomic.Pointer[mem.Remote] // the other side's memory

	taken    []int        // messages, by endpoint
	streamed int64        // messages that were taken and not answered
	all      atomic.Int64 // the same, as others see it: once a batch

	answering bool // serveEvents has begun

	answered []int // calls, by the tag of the endpoint; of the server of calls

	mu   sync.Mutex
	err  error    // an error on a goroutine
	raws []func() // end the servers of the bare peers
}

// A command is sent by the active side to the passive one.
type command struct {
	Do string // "idle", "poll", "take", "echo", "watch", "taken", "meet", or one of rawServers
	// Messages is how many must have been taken after "taken".
	Messages int64
	// Terms is the active side's memory with "meet", where no private data can carry it.
	Terms []byte
}

type answer struct {
	Usage   usage
	Address string
	Terms   []byte // after "meet"
	Err     string
}

func openPassive(ctx context.Context, cfg *config, alone bool) (*passive, error) {
	s, err := openSide(ctx, cfg)
	if err != nil {
		return nil, err
	}
	p := &passive{side: s, alone: alone, conns: make(chan *rdma.Conn, 1), resume: make(chan struct{}, 1), closing: make(chan struct{})}
	p.taken = make([]int, cfg.Endpoints)
	p.answered = make([]int, cfg.Connections)
	p.far.Store(new(mem.Remote)) // no memory yet, which a post refuses
	p.pause.Store(true)
	if cfg.watches() {
		p.seen = wordAt(s.shared.Bytes(), cfg.Size-8).Load()
	}
	accept := p.accept
	if cfg.Connections > 0 {
		p.face, accept = s.both(&p.pause), p.acceptCalls
	} else {
		p.face, err = s.face(s.receives.Dispatcher(), &p.pause)
	}
	if err == nil {
		p.ln, err = s.adapter.Listen(ctx, cfg.listenAddress(s.adapter), rdma.ListenConfig{})
	}
	if err != nil {
		s.adapter.Close()
		return nil, err
	}
	for _, task := range []func(context.Context) error{accept, p.serve} {
		p.work.Go(func() {
			if err := task(ctx); !p.isOver(ctx) {
				p.failed(err)
			}
		})
	}
	return p, nil
}

// isOver reports whether an error is only the end of the measurement: this side closes,
// perhaps before the other side has connected, or the context has ended.
func (p *passive) isOver(ctx context.Context) bool {
	select {
	case <-p.closing:
		return true
	default:
		return ctx.Err() != nil
	}
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
	case "watch":
		if !p.cfg.watches() { // there is no such word
			err = errors.New("this side polls no word with these settings")
			break
		}
		fallthrough
	case "idle", "poll", "take", "echo":
		p.echo.Store(c.Do == "echo")
		p.watching.Store(c.Do == "watch")
		p.pause.Store(c.Do == "idle" || c.Do == "watch")
		select {
		case p.resume <- struct{}{}:
		default:
		}
	case "taken":
		look := time.NewTicker(50 * time.Microsecond) // do not disturb the goroutine that takes them
		for p.all.Load() < c.Messages && !p.shutting.Load() && ctx.Err() == nil {
			<-look.C
		}
		look.Stop()
	case "meet":
		if p.cfg.API != "vipl" { // others meet when they connect, and a server of calls has no memory for it
			err = errors.New("only VIPL meets by a command")
			break
		}
		a.Terms, err = p.meet(c.Terms)
	case "raw event", "eventfd":
		err = p.serveEvents()
	case "calls net", "calls unix":
		a.Address, err = p.startCalls(ctx, plains[strings.TrimPrefix(c.Do, "calls ")].network)
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
