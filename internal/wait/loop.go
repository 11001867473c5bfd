package wait

import (
	"context"
	"runtime"
	"runtime/trace"
	"time"
)

var oneCPU = runtime.NumCPU() == 1

// Waitable is what a sleeper waits for. Both methods are called on the
// sleeper's goroutine, one at a time.
type Waitable interface {
	// Look reports whether the wait is over. It may consume what it finds, since it is
	// not called again after it has returned true.
	Look() bool
	// Arm asks sources outside of memory (a completion queue, a descriptor) to
	// call Wake when something arrives. The loop looks again after it.
	Arm()
}

// Options bound a wait. The zero value waits without bounds.
type Options struct {
	// Done ends the wait when it is closed. May be nil. With a Parker, the goroutine that
	// closes it must call the cell's Wake afterwards.
	Done <-chan struct{}
	// Context, if it is not nil, replaces Done, and needs no Wake.
	Context context.Context
	// Timeout ends the wait; 0 or less is no limit. The clock starts when the
	// sleeper parks for the first time: before that it is not read for this.
	Timeout time.Duration
	// Burst is the number of looks before the sleeper arms; 0: arm after the first
	// look. While bursts find nothing, most waits have none: see Pace.
	Burst int
	// Pace decides which waits have a burst; nil: the cell's own.
	Pace *Pace
	// Steady says that another process causes the events, and that a look makes no system call. In a process
	// with several processors such waits always have their burst, and yield at its end. The bursts show the
	// kernel that both processes are busy, so it gives each a processor. With rare bursts it leaves both on
	// one processor while other processors are idle.
	Steady bool
	// Eager is the number of further looks of a Steady wait whose burst finds nothing, as long as such looks pay:
	// see Pace. It is for events that are expected sooner than a sleeper wakes up.
	Eager int
	// Crowd counts the sleepers whose waits could begin with a burst; may be nil. See there.
	Crowd *Crowd
	// Looked says that the caller has looked just before, so that a wait without
	// a burst begins with arming.
	Looked bool
	// Parker is where the sleeper parks if it can; nil: on its token.
	Parker Parker
	// Stay is for a Waitable whose Look handles what it finds, and returns true only at the end. Such a
	// sleeper looks inside Park, and does not leave its parker between two arrivals.
	Stay bool
}

// Outcome is why a wait ended.
type Outcome uint8

const (
	Ready   Outcome = iota // Look returned true
	Done                   // Options.Done was closed
	Timeout                // Options.Timeout has passed
)

// Wait blocks until w.Look returns true or a limit of o is reached. It looks once more
// before it gives up, so an event takes precedence over the limit. Only the first wait of a
// cell allocates: the cell's channel and timer.
func (c *Cell) Wait(w Waitable, o Options) Outcome {
	if o.Burst <= 0 {
		o.Crowd = nil
	} else if o.Crowd.many(o.Steady) {
		o.Burst = 0
	}
	if c.burst(w, &o) {
		return Ready
	}
	period := o.Crowd.sleeps()
	if o.Context != nil {
		o.Done = o.Context.Done()
	}
	if !o.Stay && !c.acquirePark(o.Parker) {
		o.Parker = nil
	}
	var fire <-chan time.Time
	var region *trace.Region // nothing unless a trace is taken
	if trace.IsEnabled() {
		region = trace.StartRegion(o.context(), "rdma wait")
	}
	out := c.sleep(w, &o, &fire)
	o.Crowd.wakes(period)
	if region != nil {
		region.End()
	}
	c.disarm()
	if fire != nil {
		c.timer.Stop()
	}
	c.endBounds()
	if o.Parker != nil {
		c.releasePark(o.Parker)
	}
	return out
}

// context is the context of the wait; a trace shows the wait under its task.
func (o *Options) context() context.Context {
	if o.Context != nil {
		return o.Context
	}
	return context.Background()
}

// burst looks before the sleeper arms, if bursts pay.
func (c *Cell) burst(w Waitable, o *Options) (ready bool) {
	pace := o.Pace
	if pace == nil {
		pace = &c.pace
	}
	always := o.Steady && !oneCPU
	n := o.Burst
	if !always {
		n = pace.burst(n)
	}
	if n > 0 {
		for i := range n {
			if w.Look() {
				if i > 0 && !always { // it came during the burst
					pace.done(true)
				}
				return true
			}
		}
		if always {
			if c.eager(w, pace, o.Eager) {
				return true
			}
			runtime.Gosched()
			o.Looked = false
			return false
		}
		pace.done(false)
		// Do not yield after such a burst: a goroutine that computes might keep the
		// processor for a time slice. A sleeper that is woken runs before it.
		o.Looked = true
	}
	return false
}

// eagerMost is more than an eager burst takes on a processor of its own.
const eagerMost = 200 * time.Microsecond

// eager looks on behind a burst of a steady wait. If it takes long, something else had the processor meanwhile, perhaps
// the other side: then sleeping would have been better, whatever it has found.
func (c *Cell) eager(w Waitable, pace *Pace, looks int) (ready bool) {
	n := min(pace.burst(looks), looks)
	if n == 0 {
		return false
	}
	begun := time.Now()
	for i := 0; i < n && !ready; i++ {
		ready = w.Look()
	}
	pace.done(ready && time.Since(begun) < eagerMost)
	return ready
}

// sleep is the loop itself.
func (c *Cell) sleep(w Waitable, o *Options, fire *<-chan time.Time) (out Outcome) {
	parker := o.Parker
	if o.Stay {
		o.Parker = nil // not acquired
	}
	for ; ; o.Looked = false {
		if o.Stay && o.Parker == nil && c.acquirePark(parker) { // before it arms: wakers must see where to kick
			o.Parker = parker
		}
		if c.armAndLook(w, o.Looked) {
			return Ready
		}
		at(c, "park")
		if o.Parker != nil {
			over := false
			if out, over = c.parkAt(w, o); over {
				return Ready
			}
		} else {
			if o.Timeout > 0 && *fire == nil {
				// The limit is for the whole wait: spurious wake-ups do not restart
				// the timer.
				*fire = c.start(c.left(o.Timeout))
			}
			out = c.park(o.Done, *fire)
		}
		if out != Ready {
			at(c, "last look")
			if w.Look() {
				return Ready
			}
			return out
		}
	}
}

// armAndLook looks, arms and looks again. Looked says that the first look has just been made.
func (c *Cell) armAndLook(w Waitable, looked bool) (ready bool) {
	if !looked {
		at(c, "look")
		if w.Look() {
			return true
		}
	}
	at(c, "arm")
	c.arm()
	at(c, "arm sources")
	w.Arm()
	at(c, "look again")
	return w.Look()
}

// park blocks until a token arrives or a bound is reached.
func (c *Cell) park(done <-chan struct{}, fire <-chan time.Time) Outcome {
	if done == nil && fire == nil {
		<-c.token
		return Ready
	}
	select {
	case <-c.token: // no need to sleep; a wake-up takes precedence over a bound
		return Ready
	default:
	}
	select {
	case <-c.token:
		return Ready
	case <-done:
		return Done
	case <-fire:
		return Timeout
	}
}

// start starts the cell's timer.
func (c *Cell) start(d time.Duration) <-chan time.Time {
	if c.timer == nil {
		c.timer = time.NewTimer(d)
	} else {
		c.timer.Reset(d)
	}
	return c.timer.C
}
