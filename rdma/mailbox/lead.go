package mailbox

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/godapl/godapl/rdma"
)

// lead is the right to take what arrives out of the completion queue. The goroutine of the intake has it, or a
// call of Receive or ReceiveBatch: a program that comes back for messages within a moment has them without a
// goroutine in between. Between two calls nobody has it. After one or two periods without a call the goroutine takes
// it back, so that values enter the mailbox whatever the program does. A program that is slow, or ranges over C, leaves
// it to the goroutine.
type lead struct {
	token  chan struct{} // in here while nobody leads; one place
	resume chan struct{} // the goroutine is to lead; one place
	alone  atomic.Bool   // the goroutine leads
	wanted atomic.Int32  // calls that wait for the lead
	never  atomic.Bool   // only the goroutine may lead

	watch *time.Timer // of the goroutine, while it does not lead
	armed atomic.Bool
	turns atomic.Uint64 // times that a call has led, and another one is expected

	since atomic.Int64 // when the latest call that had to wait has returned
	taken atomic.Int64 // messages that the program has got since, and with it
	quick atomic.Int32 // calls in a row that came soon
	soon  atomic.Bool  // a call is expected, which will let answers leave

	// How long a program may work on a message, and at most on a batch, that comes back soon.
	perMessage, atMost time.Duration
}

const (
	// quickCalls is how many calls in a row must have come soon before one takes over from the goroutine.
	quickCalls = 4
	// period is the time between two looks of the watch. The goroutine leads if no call has led from one to the next.
	period = time.Millisecond
)

// errStandDown ends the lead of a call that goes on waiting.
var errStandDown = errors.New("the goroutine leads")

var epoch = time.Now()

func (l *lead) open() {
	l.token, l.resume = make(chan struct{}, 1), make(chan struct{}, 1)
	l.alone.Store(true)
	l.perMessage, l.atMost = 50*time.Microsecond, 500*time.Microsecond
	l.watch = time.NewTimer(time.Hour)
	l.watch.Stop()
}

// arm lets the goroutine look in a period's time.
func (l *lead) arm() {
	if !l.armed.Load() && l.armed.CompareAndSwap(false, true) {
		l.watch.Reset(period)
	}
}

// returns notes that a call returns with n messages.
func (l *lead) returns(n int) {
	l.since.Store(int64(time.Since(epoch)))
	l.taken.Store(int64(n))
}

// enter is for a call that has to wait, and reports whether it is to lead.
func (g *intake[T, R]) enter() bool {
	if g.never.Load() {
		return false
	}
	away := time.Since(epoch) - time.Duration(g.since.Load())
	if away > min(time.Duration(max(1, g.taken.Load()))*g.perMessage, g.atMost) {
		g.quick.Store(0)
	} else if g.quick.Load() < quickCalls {
		g.quick.Add(1)
	}
	return g.quick.Load() == quickCalls || !g.alone.Load()
}

// want lets the call wait for the lead, which comes from the channel.
func (g *intake[T, R]) want() <-chan struct{} {
	g.wanted.Add(1)
	if g.alone.Load() {
		g.call()
	}
	return g.token
}

// call lets whoever leads look, wherever it waits. If the queue is full, it looks anyway.
func (g *intake[T, R]) call() { _ = g.recvs.Dispatcher().Post(rdma.Completion{}) }

// run leads until dst has as many messages as the threshold says, behind the first n; without a dst, until the
// mailbox has a message. It returns how many dst has. errStandDown says that the call has to wait for the goroutine.
func (g *intake[T, R]) run(ctx context.Context, dst []Message[T, R], n, threshold int) (int, error) {
	g.dst, g.n, g.called = dst, g.b.ready(dst, n), true
	err := g.runs(ctx, threshold)
	if len(g.touched) > 0 {
		g.acknowledge()
	}
	n, g.dst, g.n, g.called = g.n, nil, 0, false
	soon := err == nil && g.quick.Load() > 0
	if soon {
		g.turns.Add(1)
		g.soon.Store(true)
	}
	g.token <- struct{}{}
	if soon {
		g.arm()
	} else {
		g.resumes()
	}
	return n, err
}

func (g *intake[T, R]) runs(ctx context.Context, threshold int) (err error) {
	d := g.recvs.Dispatcher()
	for {
		enough := g.n >= threshold
		if g.dst == nil {
			enough = len(g.b.queue) > 0
		}
		if enough && g.n == len(g.dst) {
			return nil
		}
		if g.never.Load() {
			return errStandDown
		}
		n := 0
		if enough || g.first != nil || len(g.leavers) > 0 {
			if n = d.Poll(g.batch[:]); n == 0 && enough && g.first == nil {
				return nil
			}
		} else if n, err = d.WaitBatch(ctx, g.batch[:]); err != nil && ctx.Err() == nil {
			g.never.Store(true) // the adapter has been closed: the goroutine finds out, too
			err = errStandDown
		}
		g.round(n)
		if err == errStandDown {
			return err
		} else if err != nil {
			return receiveError(ctx)
		}
	}
}

// resumes lets the goroutine lead, if no call does.
func (l *lead) resumes() {
	select {
	case l.resume <- struct{}{}:
	default:
	}
}

// standby gives the lead to a call, and returns when the goroutine has it again.
func (g *intake[T, R]) standby() {
	select {
	case <-g.resume: // of an earlier time
	default:
	}
	g.alone.Store(false)
	g.token <- struct{}{}
	g.arm()
	for seen := g.turns.Load(); ; {
		select {
		case <-g.resume:
		case <-g.watch.C:
			g.armed.Store(false)
			if turns := g.turns.Load(); turns != seen {
				seen = turns
				g.arm()
				continue
			}
		}
		free := g.free()
		g.b.settle() // what waits for a program that stays away; with the lead taken, no call makes answers wait again
		if free {
			g.alone.Store(true)
			return
		}
		// A call leads. It arms the watch, or lets this goroutine lead, when it returns.
	}
}

// free takes the lead if nobody has it.
func (l *lead) free() bool {
	select {
	case <-l.token:
		return true
	default:
		return false
	}
}
