package rdmatest

import (
	"fmt"
	"sync"
	"time"

	"github.com/godapl/godapl/internal/hca"
)

// worldCQ is a completion queue whose entries become visible when the world says so: who waits for them is woken by
// a step, and they may be late.
type worldCQ struct {
	*cq
	a      *worldAdapter
	name   string
	notify func()

	mu     sync.Mutex
	armed  bool
	taken  []hca.WC // from the queue below, and late
	due    time.Time
	prompt bool // a queue pair is over, whose entries must be there: nothing is late until the queue has been drained
}

func (a *worldAdapter) NewCQ(cfg hca.CQConfig) (hca.CQ, error) {
	a.mu.Lock()
	a.queues++
	w := &worldCQ{a: a, name: fmt.Sprintf("%s/%d/%d", a.h.name, a.number, a.queues), notify: cfg.Notify}
	a.mu.Unlock()
	cfg.Notify = w.arrived
	q, err := a.adapter.NewCQ(cfg)
	if err != nil {
		return nil, err
	}
	w.cq = q.(interface{ base() *cq }).base()
	a.outer.Store(w.CQ, hca.CQ(w))
	return w, nil
}

// arrived is the queue below with an entry for one who waits.
func (q *worldCQ) arrived() {
	w := q.a.h.w
	w.mu.Lock()
	defer w.mu.Unlock()
	w.signal(q)
}

// visible wakes the one who waits. The scheduler calls it.
func (q *worldCQ) visible() {
	q.mu.Lock()
	armed := q.armed
	q.armed = false
	q.mu.Unlock()
	if armed && q.notify != nil {
		q.notify()
	}
}

// Arm implements hca.CQ.
func (q *worldCQ) Arm() error {
	q.mu.Lock()
	q.armed = true
	q.mu.Unlock()
	return q.cq.Arm()
}

// Poll sees the entries before the program does. A poll of the queue below may tell of the end of a connection.
func (q *worldCQ) Poll(dst []hca.WC) int {
	n, still, prompt := q.takeLate(dst)
	if still || n == len(dst) {
		return n
	}
	fresh := dst[n:]
	fresh = fresh[:q.cq.Poll(fresh)]
	over := false
	for i := range fresh {
		if p, ok := fresh[i].Owner.(*worldQP); ok {
			over = over || p.over.Load()
			p.complete(&fresh[i])
		}
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	all := n + len(fresh)
	if prompt && all < len(dst) {
		q.prompt = false // all that was there when it was set has been taken
		return all
	}
	if len(fresh) == 0 || q.prompt || over { // what is posted after the end is flushed at once
		return all
	}
	if d := q.a.h.w.lateness(q); d > 0 {
		q.taken, q.due = append(q.taken, fresh...), time.Now().Add(d)
		return n
	}
	return all
}

// takeLate takes entries that were late, and reports whether others still are, and whether none may be late now.
func (q *worldCQ) takeLate(dst []hca.WC) (n int, still, prompt bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.taken) > 0 && time.Now().Before(q.due) {
		return 0, true, q.prompt
	}
	n = copy(dst, q.taken)
	q.taken = append(q.taken[:0], q.taken[n:]...)
	return n, len(q.taken) > 0, q.prompt
}

// hurry makes late entries visible, and none late that is there: a queue pair that uses the queue is over.
func (q *worldCQ) hurry() {
	q.mu.Lock()
	q.prompt, q.due = true, time.Time{}
	late := len(q.taken) > 0
	q.mu.Unlock()
	if late {
		q.arrived()
	}
}

// signal adds a step that makes entries of a queue visible. The caller holds w.mu.
func (w *World) signal(q *worldCQ) {
	w.signals[q.name] = q
	w.wakeScheduler()
}

// Late makes completions visible late, on all hosts: which says of which polls that find some, and they are held
// back for a time up to d, and so are those behind them. The end of a connection makes all of its completions
// visible, and so does an attempt to connect that fails, and the closing of an endpoint.
func (w *World) Late(d time.Duration, which Which) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.late = append(w.late, &lateness{which: which, most: max(d, 1)})
}

// lateness is a call of Late.
type lateness struct {
	which Which
	most  time.Duration
	seen  int
	done  bool // the n-th was late
}

// lateness draws how long completions of a queue are held back.
func (w *World) lateness(q *worldCQ) time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	var late *lateness
	for _, l := range w.late {
		l.seen++
		if late != nil {
			continue // what is due now, too, takes the next
		}
		if l.which.selects(l.seen, &l.done, w.fates) {
			late = l
		}
	}
	if late != nil {
		d := 1 + time.Duration(w.fates.Int64N(int64(late.most)))
		w.fired["late"]++
		w.record("late", q.name, 0)
		w.add(&plan{what: timedVisible, name: q.name, do: func() { w.signal(q) }, quiet: true}, After(d))
		w.wakeScheduler() // a program that polls by its own clock is not behind a step
		return d
	}
	return 0
}
