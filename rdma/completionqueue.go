package rdma

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/wait"
	"github.com/godapl/godapl/rdma/event"
)

// CompletionQueue is where operations of endpoints complete, with the
// dispatcher that hands the completions out (uDAPL: the DTO stream of an EVD;
// verbs: CQ and completion channel). Endpoints make their own unless their
// configuration names some; several endpoints may share one.
type CompletionQueue struct {
	adapter *Adapter
	number  uint32 // in errors
	of      string // what it is for, of an endpoint's own
	cq      hca.CQ
	peek    hca.Peeker                    // cq, if it is one
	own     *event.Dispatcher[Completion] // nil if the dispatcher is the program's
	place   any                           // the dispatcher, whatever its type

	// The dispatcher's calls, which need no type.
	pump   func() bool
	arm    func() error
	wakeUp func()
	detach func() error
	follow func() error // see followingSource

	// ahead counts what is handed out before the entries of cq: lines, and
	// completions that do not come out of cq.
	ahead   atomic.Int32
	waiting atomic.Int32 // len(sleepers)
	binds   binds

	mu       sync.Mutex
	lines    []*line
	rest     []Completion
	sleepers map[*wait.Cell]struct{} // calls that wait for something of this queue
	users    int                     // endpoints, one count for each side
	gone     bool
}

// dispatcherSlack is how many times more completions than its queue the
// dispatcher of a completion queue holds, so that calls that wait for one of
// their own get at it although nobody takes the others.
const dispatcherSlack = 8

// ownRoom is how many completions at least wait in a queue of an endpoint's own while
// the program is busy with others. The memory is taken when they come.
const ownRoom = 4096

// CompletionQueueConfig describes a completion queue.
type CompletionQueueConfig struct {
	// Depth is how many completions fit. It should be the sum of the depths of all the
	// queues that feed it: more completions than that at a time are an overflow, which
	// breaks the endpoints. What it is deeper than that is room for completions that
	// nobody has taken yet: see [EndpointConfig]. It must be positive.
	Depth int
	// Sink is where the completions go, with a dispatcher. nil: to a dispatcher of the
	// queue's own.
	Sink *Sink[Completion]
}

// NewCompletionQueue makes a completion queue. With a sink, the program's dispatcher
// stays open when the queue is closed: what is left in the queue is moved there then.
// ErrInvalid if the sink has a function instead of a dispatcher.
func (a *Adapter) NewCompletionQueue(cfg CompletionQueueConfig) (*CompletionQueue, error) {
	const op = "new completion queue"
	q, err := a.newCompletionQueue(cfg)
	if err != nil {
		return nil, hca.Named(err, op, "of "+a.name)
	}
	if err := a.add(op, q); err != nil {
		q.end()
		return nil, err
	}
	return q, nil
}

// ownCompletionQueue makes a queue with a dispatcher that the adapter does not
// list.
func (a *Adapter) ownCompletionQueue(depth, room int, of string) (*CompletionQueue, error) {
	q := &CompletionQueue{adapter: a, of: of}
	if of == "" {
		q.number = numbers.completionQueues.Add(1)
	}
	d := newDispatcher[Completion](a, q.object(), max(dispatcherSlack*depth, 1))
	initCompletionQueue(q, d)
	q.own = d
	return q, connectQueue(q, depth, room, d, &completionSource{q: q})
}

// newCompletionQueue makes a queue for the program.
func (a *Adapter) newCompletionQueue(cfg CompletionQueueConfig) (*CompletionQueue, error) {
	if cfg.Sink == nil {
		return a.ownCompletionQueue(cfg.Depth, cfg.Depth, "")
	}
	if cfg.Sink.connect == nil {
		return nil, hca.NewError(hca.Invalid, "", "", "the sink has a function; completions need a dispatcher: see NewSink")
	}
	q := &CompletionQueue{adapter: a, number: numbers.completionQueues.Add(1)}
	return q, cfg.Sink.connect(q, cfg.Depth)
}

// initCompletionQueue gives a queue its dispatcher.
func initCompletionQueue[T any](q *CompletionQueue, d *event.Dispatcher[T]) {
	q.place, q.sleepers = d, map[*wait.Cell]struct{}{}
	q.pump, q.arm, q.wakeUp = event.ProviderOf(d).Pump, event.ProviderOf(d).ArmSources, event.ProviderOf(d).Wake
}

// connectQueue makes the adapter's queue and ties it to the dispatcher.
func connectQueue[T any](q *CompletionQueue, depth, room int, d *event.Dispatcher[T], src event.Source[T]) error {
	cq, err := q.adapter.hca.NewCQ(hca.CQConfig{Depth: depth, Room: room, Notify: q.wake})
	if err != nil {
		return err
	}
	q.cq = cq
	q.peek, _ = cq.(hca.Peeker)
	follow := &followingSource[T]{q: q, src: src}
	q.follow = func() error { return event.ProviderOf(d).Attach(follow) }
	q.detach = func() error {
		event.ProviderOf(d).Detach(follow) // an error: it was never attached
		return event.ProviderOf(d).Detach(src)
	}
	if err := event.ProviderOf(d).Attach(src); err != nil {
		cq.Close()
		return err
	}
	q.adapter.enter(q)
	return nil
}

// newDispatcher makes a dispatcher of the library's own.
func newDispatcher[T any](a *Adapter, name string, depth int) *event.Dispatcher[T] {
	return event.New[T](event.Config{Name: name, Depth: depth, Overflow: func(err error) {
		a.async.tell(AsyncError{Kind: AsyncOverflow, Err: err})
	}})
}

// Adapter is where the queue was made.
func (q *CompletionQueue) Adapter() *Adapter { return q.adapter }

// Dispatcher hands the completions out. If they go to a sink, it is a closed one.
func (q *CompletionQueue) Dispatcher() *event.Dispatcher[Completion] {
	if q.own == nil {
		return sunkCompletions()
	}
	return q.own
}

// sunkCompletions stands for the dispatchers of all queues with a sink.
var sunkCompletions = sync.OnceValue(func() *event.Dispatcher[Completion] { return elsewhere[Completion]("completions") })

// Depth is how many completions fit.
func (q *CompletionQueue) Depth() int { return q.cq.Depth() }

// Ready tells whether completions are there for a poll of the dispatcher to find at
// once: it is a look, and drives no progress, so nothing comes by it. It is always
// false where the adapter cannot tell without a poll. Events that are queued in the
// dispatcher already do not count. It takes no lock and may be called from anywhere.
func (q *CompletionQueue) Ready() bool {
	return q.peek != nil && q.peek.Ready() || q.ahead.Load() != 0
}

// Resize changes the depth. Nothing is lost: ErrState if more completions than
// that are waiting, ErrUnsupported if the adapter cannot.
func (q *CompletionQueue) Resize(depth int) error {
	if err := q.cq.Resize(depth); err != nil {
		return hca.Named(err, "resize", q.object())
	}
	if q.own != nil {
		return q.own.Resize(dispatcherSlack * depth)
	}
	return nil
}

// Close ends the queue, and its dispatcher if that is its own. It fails with
// ErrInUse while endpoints use the queue. It must not be called from put.
func (q *CompletionQueue) Close() error {
	q.mu.Lock()
	if q.gone {
		q.mu.Unlock()
		return nil
	}
	if q.users > 0 {
		q.mu.Unlock()
		return hca.NewError(hca.InUse, "close", q.object(),
			"endpoints still report to it: close those first")
	}
	q.gone = true
	q.mu.Unlock()
	q.shut()
	q.adapter.remove(q)
	return nil
}

// shut takes the queue from its dispatcher. What is in it goes there.
func (q *CompletionQueue) shut() {
	q.detach()
	q.adapter.leave(q)
	if err := q.cq.Close(); err != nil {
		q.adapter.log.Error("rdma: close completion queue", "err", err)
	}
	if q.own != nil {
		q.own.Close()
	}
}

func (q *CompletionQueue) kind() string { return kindCompletionQueue }

func (q *CompletionQueue) end() {
	q.mu.Lock()
	gone := q.gone
	q.gone = true
	q.mu.Unlock()
	if !gone {
		q.shut()
	}
}

// hold keeps the queue from closing, for one side of an endpoint.
func (q *CompletionQueue) hold() error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.gone {
		return hca.NewError(hca.Closed, "", "", q.object()+" has been closed")
	}
	q.users++
	return nil
}

func (q *CompletionQueue) drop() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.users--
}

// wake makes everybody look who waits for a completion of this queue: the
// dispatcher's consumer and calls. It is also the adapter's notification.
func (q *CompletionQueue) wake() {
	q.wakeUp()
	q.binds.followers.wake()
	if q.waiting.Load() == 0 {
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	for cell := range q.sleepers {
		cell.Wake()
	}
}

// sleep waits for w, which looks at this queue. The cell is the caller's.
func (q *CompletionQueue) sleep(cell *wait.Cell, w wait.Waitable, o wait.Options) wait.Outcome {
	q.mu.Lock()
	q.sleepers[cell] = struct{}{}
	q.waiting.Store(int32(len(q.sleepers)))
	q.mu.Unlock()
	out := cell.Wait(w, o)
	q.mu.Lock()
	delete(q.sleepers, cell)
	q.waiting.Store(int32(len(q.sleepers)))
	q.mu.Unlock()
	return out
}

// lineUp adds a line to hand out.
func (q *CompletionQueue) lineUp(n *line) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.lines = append(q.lines, n)
	q.count()
}

// stash adds a completion that does not come out of the adapter's queue, and
// wakes.
func (q *CompletionQueue) stash(c *Completion) {
	q.mu.Lock()
	q.rest = append(q.rest, *c)
	q.count()
	q.mu.Unlock()
	q.wake()
}

// count brings ahead up to date. q.mu is held.
func (q *CompletionQueue) count() { q.ahead.Store(int32(len(q.lines) + len(q.rest))) }

// next takes the oldest of what is ahead of the adapter's queue.
func (q *CompletionQueue) next(to *lineItem) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	defer q.count()
	for len(q.lines) > 0 {
		if q.lines[0].pop(to) {
			return true
		}
		q.lines = slices.Delete(q.lines, 0, 1)
	}
	if len(q.rest) == 0 {
		return false
	}
	*to = lineItem{c: q.rest[0]}
	q.rest = slices.Delete(q.rest, 0, 1)
	return true
}
