package mailbox

import (
	"context"
	"fmt"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/godapl/godapl/rdma"
)

// Mailbox takes the values of any number of senders. Make one with [Listen]. All methods may be
// called concurrently.
type Mailbox[T, R any] struct {
	cfg     Config[T, R]
	values  *coder[T]
	answers *coder[R]
	text    string
	adapter *rdma.Adapter
	zone    *rdma.Zone
	ln      *rdma.Listener
	out     outbox
	queue   chan Message[T, R]
	intake  intake[T, R]
	slabs   slabs
	crowd   atomic.Bool // values have arrived, or are about to, that have no room or that wait for their turn

	ctx    context.Context // of accepts and of the goroutines that receive
	cancel context.CancelFunc
	work   sync.WaitGroup // these goroutines

	large    budget
	reads    context.Context // of reads from senders' memory
	endReads context.CancelFunc

	endWait time.Duration // of Close, for a sender that does not receive

	ends sync.WaitGroup // connections that are taken down
	once sync.Once

	using sync.RWMutex // held by what uses the memory of out; takeDown takes it
	gone  bool         // guarded by using

	draining atomic.Bool   // Close has begun: no answer waits for another
	flush    chan struct{} // of flushing; one place
	waitMu   sync.Mutex
	waiting  []*peer[T, R] // have a message that waits
	turn     []*peer[T, R] // memory for them; nil while it is in use
	rest     atomic.Int64  // of the latest batch: asks that the program has not answered

	mu     sync.Mutex
	peers  []*peer[T, R] // by the tag of the endpoint
	free   []int         // tags
	closed bool
}

// Listen makes a mailbox for the senders that dial address, host:service (see rdma.Adapter.Listen).
// The context ends the call, not the mailbox.
func Listen[T, R any](ctx context.Context, a *rdma.Adapter, address string, cfg Config[T, R]) (*Mailbox[T, R], error) {
	if a == nil {
		return nil, errNilAdapter
	}
	if err := counts(&cfg.Window, &cfg.Asks); err != nil {
		return nil, err
	}
	if err := cfg.limits(); err != nil {
		return nil, err
	}
	values, err := newCoder(cfg.Values, cfg.Slot, cfg.MaxValue)
	if err != nil {
		return nil, err
	}
	if values.max > cfg.MaxLarge { // also if it fits a slot: a sender may lend it, and waits for room to be read
		return nil, invalid(fmt.Sprintf("MaxLarge is at least the size of a value, %d bytes", values.max))
	}
	answers, err := newCoder(cfg.Answers, cfg.MaxAnswer, cfg.MaxAnswer)
	if err != nil {
		return nil, err
	}
	if answers.codec != nil { // what has no room alone is too long, or the program would reply again for ever
		answers.max = min(answers.max, max(1, cfg.AnswerMemory-headerSize))
	}
	if least := headerSize + answers.max; cfg.AnswerMemory < least {
		return nil, invalid(fmt.Sprintf("AnswerMemory is at least the size of an answer and its header, %d bytes", least))
	}
	b := &Mailbox[T, R]{cfg: cfg, values: values, answers: answers, text: typesText(values, answers), adapter: a, flush: make(chan struct{}, 1),
		queue: make(chan Message[T, R], cfg.Depth), endWait: time.Second}
	b.out.limit, b.large.limit = cfg.AnswerMemory, cfg.MaxLarge
	b.ctx, b.cancel = context.WithCancel(context.Background())
	b.reads, b.endReads = context.WithCancel(context.Background())
	if err := b.listen(ctx, address); err != nil {
		b.cancel()
		b.endReads()
		b.takeDown()
		return nil, fmt.Errorf("mailbox: listen: %w", err)
	}
	b.work.Go(labeled(a.Name(), b.accept))
	b.work.Go(labeled(a.Name(), b.flushing))
	b.work.Go(labeled(a.Name(), b.intake.receive))
	return b, nil
}

// waiting is how many senders may dial before the first is accepted. It is as many as wait for a net.Listener on Linux.
const waiting = 4096

func (b *Mailbox[T, R]) listen(ctx context.Context, address string) (err error) {
	if b.zone, err = b.adapter.NewZone(); err != nil {
		return err
	}
	if err = b.out.open(b.adapter, b.zone); err != nil {
		return err
	}
	if err = b.intake.open(b); err != nil {
		return err
	}
	b.ln, err = b.adapter.Listen(ctx, address, rdma.ListenConfig{Backlog: waiting})
	return err
}

// Addr is the address with the real service.
func (b *Mailbox[T, R]) Addr() net.Addr { return b.ln.Addr() }

// C is the channel of messages. It is closed when the mailbox has been closed, or its adapter, and what it held has
// been taken.
func (b *Mailbox[T, R]) C() <-chan Message[T, R] { return b.queue }

// Len is how many messages the mailbox holds.
func (b *Mailbox[T, R]) Len() int { return len(b.queue) }

// Close ends the mailbox. Messages that it holds can still be taken; asks among them cannot be
// answered any more. Close tells each sender which of its values are in the mailbox, and waits at
// most a second for a sender that does not receive. Closing twice is harmless.
func (b *Mailbox[T, R]) Close() error {
	b.once.Do(func() {
		_ = b.ln.Close()
		b.draining.Store(true)
		b.intake.never.Store(true)
		b.cancel()
		b.intake.call()
		patience := time.AfterFunc(time.Second, b.endReads)
		b.work.Wait()
		patience.Stop()
		b.endReads()
		b.mu.Lock()
		b.closed = true
		for _, p := range b.peers {
			if p != nil {
				p.leave()
			}
		}
		close(b.queue)
		for _, p := range b.peers {
			if p != nil {
				b.ends.Go(p.part)
			}
		}
		b.mu.Unlock()
		b.ends.Wait()
		b.takeDown()
	})
	return nil
}

func (b *Mailbox[T, R]) takeDown() {
	b.using.Lock()
	defer b.using.Unlock()
	b.gone = true
	b.out.close()
	if b.intake.recvs != nil {
		_ = b.intake.recvs.Close()
	}
	if b.zone != nil {
		_ = b.zone.Close()
	}
}

// part tells the sender that the mailbox takes no further value, and ends its connection.
func (p *peer[T, R]) part() {
	_ = p.frame(kindClosed, 0, "")
	p.mu.Lock()
	p.parting = true
	p.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), p.b.endWait)
	defer cancel()
	if c := p.ep.Conn(); c != nil {
		_ = c.Shutdown(ctx)
		p.cancel(context.Cause(c.Context()))
	}
	p.takeDown()
}

// forget drops a peer that is over, unless Close does.
func (b *Mailbox[T, R]) forget(p *peer[T, R]) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed || b.peers[p.tag] != p {
		return
	}
	b.peers[p.tag] = nil
	b.ends.Go(labeled(b.adapter.Name(), func() {
		p.takeDown()
		b.mu.Lock()
		defer b.mu.Unlock()
		b.free = append(b.free, p.tag)
	}))
}
