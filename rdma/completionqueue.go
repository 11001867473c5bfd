package rdma

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/wait"
	"github.com/godapl/godapl/rdma/event"
)

// CompletionQueue receives the completions of endpoints and has the dispatcher that delivers
// them (uDAPL: the DTO stream of an EVD; verbs: CQ and completion channel). Endpoints create
// their own unless their configuration names one; several endpoints may share one.
type CompletionQueue struct {
	adapter *Adapter
	number  uint32 // in errors
	of      string // its purpose, for an endpoint's own queue
	made    uint64 // its place in the order in which things were made; guarded by the adapter's mu
	cq      hca.CQ
	peek    hca.Peeker                    // cq, if it implements it
	sentry  hca.Sentry                    // likewise
	pusher  hca.Pusher                    // likewise
	pace    wait.Pace                     // of the bursts of waiting calls
	own     *event.Dispatcher[Completion] // nil with a dispatcher of the program
	place   any                           // the dispatcher, whatever its type

	// Where the dispatcher's waiter parks, and where waiting calls do; nil if cq has no such place.
	waiterParks, callParks wait.Parker

	// Methods of the dispatcher that do not depend on its type.
	pump   func() bool
	short  func() bool
	arm    func() error
	wakeUp func()
	detach func() error
	follow func() error // see followingSource

	// ahead counts items that are delivered before the entries of cq: holdbacks, and stashed
	// completions, which do not come from cq.
	ahead   atomic.Int32
	waiting atomic.Int32 // calls in sleepers; while calls wait, the program does not look: there is no backlog
	binds   binds

	mu        sync.Mutex
	holdbacks []*holdback
	stashed   []Completion
	sleepers  sleepers // calls that wait for a completion of this queue
	users     int      // endpoints, one count for each side
	gone      bool
}

// dispatcherSlack is the ratio of the dispatcher's depth to the queue's depth. The extra room
// lets a waiting call reach its own completion although the program does not take the others.
const dispatcherSlack = 8

// ownRoom is the minimum number of completions that an endpoint's own queue holds while the
// program does not take them. On a busy machine the goroutine that takes them may lose its
// processor for tens of milliseconds, in which a server answers tens of thousands of requests.
// Memory is allocated as they arrive.
const ownRoom = 1 << 16

// CompletionQueueConfig describes a completion queue (uDAPL: the arguments of dat_evd_create). The
// zero value is valid.
type CompletionQueueConfig struct {
	// Depth is the number of completions that the queue can hold. It should be the sum of the
	// depths of all the queues that feed it: more completions at a time are an overflow,
	// which breaks the endpoints. A deeper queue also holds completions that the program has
	// not taken yet: see [EndpointConfig]. 0: 256, or the adapter's limit if that is less; that
	// is enough for two endpoints of the default depths.
	Depth int
	// Sink takes the completions; it must have a dispatcher. nil: the queue creates its own
	// dispatcher.
	Sink *Sink[Completion]
}

// NewCompletionQueue creates a completion queue. With a sink, the program's dispatcher stays
// open when the queue is closed, and gets the completions that are left in the queue.
// ErrInvalid if the depth is negative or exceeds the adapter's limit, or if the sink has a
// function instead of a dispatcher.
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

// ownCompletionQueue creates an endpoint's own queue, which is not an object of the adapter.
func (a *Adapter) ownCompletionQueue(depth, room int, of string) (*CompletionQueue, error) {
	q := &CompletionQueue{adapter: a, of: of}
	if of == "" {
		q.number = numbers.completionQueues.Add(1)
	}
	d := newDispatcher[Completion](a, q.object(), max(dispatcherSlack*depth, room, 1))
	initCompletionQueue(q, d)
	q.own = d
	return q, connectQueue(q, depth, room, d, &completionSource{q: q})
}

// newCompletionQueue creates a queue for the program.
func (a *Adapter) newCompletionQueue(cfg CompletionQueueConfig) (*CompletionQueue, error) {
	var err error
	if cfg.Depth, err = fill("Depth", cfg.Depth, 256, a.attr.MaxCQE); err != nil {
		return nil, err
	}
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
	q.place = d
	p := event.ProviderOf(d)
	q.pump, q.short, q.arm, q.wakeUp = p.Pump, p.Short, p.ArmSources, p.Wake
}

// connectQueue creates the adapter's queue and attaches it to the dispatcher.
func connectQueue[T any](q *CompletionQueue, depth, room int, d *event.Dispatcher[T], src event.Source[T]) error {
	cq, err := q.adapter.hca.NewCQ(hca.CQConfig{Depth: depth, Room: room, Notify: q.wake,
		Backlog: func(together bool) hca.Backlog {
			switch p := event.ProviderOf(d); {
			case q.waiting.Load() != 0:
				return hca.BacklogNone
			case p.Backlog(together):
				return hca.BacklogSome
			case p.Forwards():
				return hca.BacklogDue
			}
			return hca.BacklogNone
		}, Running: event.ProviderOf(d).Running()})
	if err != nil {
		return err
	}
	q.cq = cq
	q.peek, _ = cq.(hca.Peeker)
	q.sentry, _ = cq.(hca.Sentry)
	q.pusher, _ = cq.(hca.Pusher)
	q.setParkers()
	follow := &followingSource[T]{q: q, src: src}
	q.follow = func() error { return event.ProviderOf(d).Attach(follow) }
	q.detach = func() error {
		event.ProviderOf(d).Detach(follow) // an error means that it was never attached
		q.binds.room.close()
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

// Adapter is the adapter that the queue belongs to.
func (q *CompletionQueue) Adapter() *Adapter { return q.adapter }

// Dispatcher delivers the completions. With a sink, Dispatcher returns a closed dispatcher.
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

// Ready reports whether the queue holds completions that a poll of the dispatcher would find
// at once. It drives no progress. It is always false if the adapter cannot tell without a
// poll. Events that the dispatcher has already queued do not count. It takes no lock and may
// be called from anywhere.
func (q *CompletionQueue) Ready() bool {
	return q.peek != nil && q.peek.Ready() || q.ahead.Load() != 0
}

// nothing reports that a waiter may arm without a poll before that.
func (q *CompletionQueue) nothing() bool {
	return q.sentry != nil && q.ahead.Load() == 0 && q.sentry.Nothing()
}

// steady reports that a wait always begins with a burst of polls: they make no system call, and show the
// system that this process and its peer need a processor each. On devices bursts must pay: the peer is elsewhere, and a
// software device may need this processor.
func (q *CompletionQueue) steady() bool { return q.sentry != nil && q.sentry.SharesMemory() }

// push sends posts that were kept back while the dispatcher's channel held completions.
func (q *CompletionQueue) push() {
	if q.pusher != nil {
		q.pusher.Push()
	}
}

// Resize changes the depth. No completion is lost: ErrState if more completions than that are
// waiting, or may come of requests that are under way. ErrState, too, while a goroutine waits on the
// queue's own dispatcher or its channel runs. ErrUnsupported if the adapter cannot resize.
func (q *CompletionQueue) Resize(depth int) error {
	before := q.cq.Depth()
	if err := q.cq.Resize(depth); err != nil {
		return hca.Named(err, "resize", q.object())
	}
	if q.own != nil {
		if err := q.own.Resize(dispatcherSlack * depth); err != nil {
			_ = q.cq.Resize(before)
			return err
		}
	}
	return nil
}

// Close closes the queue, and its dispatcher unless that is the program's. It fails with
// ErrInUse while endpoints use the queue. It must not be called from the put function of a
// sink.
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

// shut detaches the queue from its dispatcher, which gets the remaining completions.
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

// hold prevents the queue from closing, for one side of an endpoint.
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

// wake wakes all waiters for completions of this queue: the dispatcher's consumer and waiting
// calls. It is also the adapter's notification.
func (q *CompletionQueue) wake() {
	q.wakeUp()
	q.wakeOthers()
}

// wakeOthers wakes all but the dispatcher's consumer.
func (q *CompletionQueue) wakeOthers() {
	q.binds.followers.wake()
	if q.waiting.Load() == 0 {
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.sleepers.wake()
}

// sleep waits until w, which polls this queue, is done. The caller owns the cell.
func (q *CompletionQueue) sleep(cell *wait.Cell, w wait.Waitable, o wait.Options) wait.Outcome {
	q.mu.Lock()
	q.sleepers.add(cell)
	q.waiting.Add(1)
	q.mu.Unlock()
	out := cell.Wait(w, o)
	q.mu.Lock()
	q.sleepers.remove(cell)
	q.waiting.Add(-1)
	q.mu.Unlock()
	return out
}

// addHoldback adds a holdback whose items may be delivered now.
func (q *CompletionQueue) addHoldback(h *holdback) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.holdbacks = append(q.holdbacks, h)
	q.count()
}

// stash adds a completion that does not come from the adapter's queue, and wakes the waiters.
func (q *CompletionQueue) stash(c *Completion) {
	q.mu.Lock()
	q.stashed = append(q.stashed, *c)
	q.count()
	q.mu.Unlock()
	q.wake()
}

// count recomputes ahead. The caller holds q.mu.
func (q *CompletionQueue) count() { q.ahead.Store(int32(len(q.holdbacks) + len(q.stashed))) }

// next takes the oldest item that precedes the adapter's queue.
func (q *CompletionQueue) next(to *heldItem) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	defer q.count()
	for len(q.holdbacks) > 0 {
		if q.holdbacks[0].pop(to) {
			return true
		}
		q.holdbacks = slices.Delete(q.holdbacks, 0, 1)
	}
	if len(q.stashed) == 0 {
		return false
	}
	*to = heldItem{c: q.stashed[0]}
	q.stashed = slices.Delete(q.stashed, 0, 1)
	return true
}

// left is called behind each drain. Behind a full one, which has used the notification, entries may be left that others
// wait for.
func (q *CompletionQueue) left(full bool) {
	if full && q.othersWait() && (q.peek == nil || q.Ready()) {
		q.wakeOthers()
	}
}
