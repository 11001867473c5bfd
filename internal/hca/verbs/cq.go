package verbs

import (
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/room"
	"github.com/godapl/godapl/internal/hca/verbs/ibv"
)

// batch is the largest number of entries that one crossing takes from the device's
// queue.
const batch = 64

// cq is a completion queue: the device's queue, and the entries that goroutines other
// than the consumer's have taken from it.
type cq struct {
	ad  *adapter
	cfg hca.CQConfig

	// mu is held while the device's queue is polled or its entries are examined. Take
	// it after a queue pair's mu, never before.
	mu    sync.Mutex
	h     ibv.CQ
	frame ibv.Frame
	wcs   *ibv.Array[ibv.WC]
	// solicited, if not 0, is a second device queue for the receives of queue pairs
	// that want to be woken by solicited receives only: a device queue is armed for all
	// its entries or for solicited ones.
	solicited ibv.CQ
	// from is the device queue whose entries are being examined.
	from ibv.CQ
	// again: the entries are examined once more because the device has just been armed.
	again bool
	ready entries
	// room counts the entries that fit, including those that are still in the device.
	room *room.Pool
	// out is where Poll wants entries, while the consumer is polling.
	out     []hca.WC
	polling bool
	// armed: the consumer waits for Notify. fresh: another goroutine has since taken an
	// entry from the device that may wake the consumer.
	armed, fresh bool
	// counted: the consumer may sleep, and is counted as a sleeper of turns.
	counted bool
	// drained: ready holds all that the device had when it notified.
	drained bool
	// watched: the consumer has polled lately.
	watched atomic.Bool
	// waiting counts queue pairs that wait for entries of theirs.
	waiting int
	after   []afterwards // spare is room for the next
	spare   []afterwards

	stats hca.CQStats
	// lastStats is what ReadStats has read last; nil at first.
	lastStats atomic.Pointer[hca.CQStats]
	acks      map[ibv.CQ]uint32 // events not acknowledged yet
	// Of the consumer that has parked here: the other queues that it serves, and whether it has given up the channel.
	guests []*cq
	paused bool
	stays  func() bool // of Park
	stay   func() bool // stays, or an end of the place
	// outside: a thread outside of Go waits at the channel for the queue. Its own.
	outside bool
	depth   int
	users   int
	closed  bool
}

// afterwards is work to do after the queue's lock has been released.
type afterwards struct {
	qp   *qp
	what func(*qp)
}

func (a *adapter) NewCQ(cfg hca.CQConfig) (hca.CQ, error) {
	const op = "NewCQ"
	if err := a.begin(op); err != nil {
		return nil, err
	}
	defer a.calls.leave()
	if cfg.Depth < 1 || cfg.Depth > a.attr.MaxCQE {
		return nil, hca.NewError(hca.Invalid, op, strconv.Itoa(cfg.Depth)+" entries",
			"a completion queue has from 1 to "+strconv.Itoa(a.attr.MaxCQE)+" entries on this device")
	}
	c := &cq{ad: a, cfg: cfg, room: room.NewPool(max(cfg.Depth, cfg.Room)), acks: map[ibv.CQ]uint32{}, frame: ibv.Frame{Ops: a.dev.ops}}
	var err error
	if c.wcs, err = ibv.NewArray[ibv.WC](batch); err != nil {
		return nil, err
	}
	if c.h, err = c.create(op, cfg.Depth); err != nil {
		c.wcs.Free()
		return nil, err
	}
	c.depth = depthOf(c.h.CQE())
	return c, nil
}

// create makes a device queue with room for depth entries and for those that the
// adapter swallows.
func (c *cq) create(op string, depth int) (ibv.CQ, error) {
	a := c.ad
	h, e := a.lib.CreateCQ(a.dev.ctx, entriesFor(depth), 0, a.cqEvents.ch, 0)
	if e != 0 {
		return 0, explain(op, a.attr.Name, e, "a completion queue of "+strconv.Itoa(depth)+" entries")
	}
	if err := add(a, op, a.byCQ, h, c); err != nil {
		a.lib.DestroyCQ(h)
		return 0, err
	}
	return h, nil
}

// forSolicited makes the second queue of the device, once.
func (c *cq) forSolicited(op string) (ibv.CQ, error) {
	c.mu.Lock()
	defer c.finish()
	if c.solicited != 0 {
		return c.solicited, nil
	}
	h, err := c.create(op, c.depth)
	if err != nil {
		return 0, err
	}
	c.solicited = h
	if c.armed {
		c.armAgain()
	}
	return h, nil
}

func (c *cq) Depth() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.depth
}

// Poll first returns the entries that others have taken from the device, then polls the
// device: one crossing, unless more than a batch is wanted. After a notification has
// drained the device, no crossing is needed. While the queue is armed one always is,
// since the device does not notify of entries that it had before the arming.
func (c *cq) Poll(dst []hca.WC) int {
	if !c.watched.Load() {
		c.watched.Store(true)
	}
	c.mu.Lock()
	n := c.ready.take(dst)
	if n < len(dst) && (n == 0 || c.armed || !c.drained) && !c.closed {
		n += c.pollInto(dst[n:])
	}
	c.drained = false
	c.polled(n)
	c.finish()
	return n
}

// finish releases the lock and runs the deferred work.
func (c *cq) finish() {
	after := c.after
	c.after = nil
	wake := c.wake()
	c.mu.Unlock()
	if after != nil {
		for _, a := range after {
			a.what(a.qp)
		}
		c.reuse(after)
	}
	if wake {
		c.ad.notify(c.cfg.Notify)
	}
}

// reuse keeps the memory of a list whose work is done.
func (c *cq) reuse(after []afterwards) {
	clear(after)
	c.mu.Lock()
	if c.after == nil {
		c.spare = after[:0]
	}
	c.mu.Unlock()
}

// wake reports, once per arming, whether the consumer must be notified.
func (c *cq) wake() bool {
	if !c.armed || !c.fresh {
		return false
	}
	c.armed, c.fresh = false, false
	c.sleeps(false)
	c.stats.Wakes++
	return c.cfg.Notify != nil
}

// notify calls the consumer, unless the adapter has been closed.
func (a *adapter) notify(f func()) {
	if a.calls.enter() {
		defer a.calls.leave()
		f()
	}
}

// Resize changes the device's queue, where the device can.
func (c *cq) Resize(depth int) error {
	const op = "CQ.Resize"
	a := c.ad
	c.mu.Lock()
	defer c.finish()
	switch {
	case c.closed:
		return hca.NewError(hca.Closed, op, "completion queue", "it has been closed")
	case depth < 1 || depth > a.attr.MaxCQE:
		return hca.NewError(hca.Invalid, op, strconv.Itoa(depth)+" entries",
			"a completion queue has from 1 to "+strconv.Itoa(a.attr.MaxCQE)+" entries on this device")
	case a.attr.Caps&hca.CapResizeCQ == 0:
		return hca.NewError(hca.Unsupported, op, a.attr.Name, "this device cannot resize completion queues")
	}
	c.pull() // wait: pull counts the waiting entries, so none is lost
	if n := c.ready.len(); n > depth {
		return hca.NewError(hca.State, op, strconv.Itoa(depth)+" entries", strconv.Itoa(n)+" entries are waiting: poll them first")
	}
	// Posts count on more room when the device has it, and no longer count on what the device is about to lose.
	size, former := max(depth, c.cfg.Room), max(c.depth, c.cfg.Room)
	if size <= former && !c.room.Resize(size) {
		return roomInUse(op, depth)
	}
	for _, h := range []ibv.CQ{c.h, c.solicited} {
		if h == 0 {
			continue
		}
		if e := a.lib.ResizeCQ(h, entriesFor(depth)); e != 0 {
			if h == c.solicited && depth <= c.depth {
				break // the first is as wanted, and a second that stays longer harms nobody
			}
			c.room.Resize(former)
			return explain(op, a.attr.Name, e, "")
		}
	}
	if size > former && !c.room.Resize(size) {
		return roomInUse(op, depth)
	}
	c.depth = depthOf(c.h.CQE())
	return nil
}

func roomInUse(op string, depth int) error {
	return hca.NewError(hca.State, op, strconv.Itoa(depth)+" entries", "the requests that are under way need more")
}
