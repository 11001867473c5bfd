package dat

import (
	"context"
	"time"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/event"
)

// duration of a timeout.
func (t Timeout) duration() time.Duration {
	if t == TimeoutInfinite {
		return event.Forever
	}
	return time.Duration(t) * time.Microsecond
}

// EVDWait waits until threshold events are queued, takes the first and returns how many
// more there are (dat_evd_wait). At the timeout, which may be 0, it takes nothing:
// [TimeoutExpired], and *nmore is the number of queued events.
//
// One goroutine at a time may wait; other calls, EVDDequeue included, return
// [InvalidState] meanwhile. A threshold above 1 is for dispatchers whose completions
// are counted (EVD_THRESHOLD). [Abort]: the dispatcher or adapter went away.
func EVDWait(evdHandle EVDHandle, timeout Timeout, threshold Count, event *Event, nmore *Count) Return {
	d := evds.Get(Handle(evdHandle))
	if d == nil {
		return badEVD
	}
	if ret := d.checkWait(threshold, event, nmore); ret != Success {
		return ret
	}
	var r record
	more, err := feed(d.d).WaitTimeoutInto(&r, timeout.duration(), int(threshold))
	*nmore = Count(more)
	if err != nil {
		return d.waitError(err)
	}
	r.fill(event, evdHandle)
	return Success
}

// EVDWaitContext is [EVDWait] that also ends with ctx: [InterruptedCall], with
// *nmore. C has no such call.
func EVDWaitContext(ctx context.Context, evdHandle EVDHandle, timeout Timeout, threshold Count, event *Event, nmore *Count) Return {
	d := evds.Get(Handle(evdHandle))
	if d == nil {
		return badEVD
	}
	if ret := d.checkWait(threshold, event, nmore); ret != Success {
		return ret
	}
	if ctx == nil {
		return failure(InvalidParameter, NoSubtype) // C has no such argument, so no number
	}
	limited, cancel := timeout.limit(ctx)
	defer cancel()
	r, more, err := d.d.Wait(limited, int(threshold))
	*nmore = Count(more)
	if err != nil {
		if ret := d.waitError(err); ctx.Err() == nil || ret.Type() != TimeoutExpired {
			return ret
		}
		return failure(InterruptedCall, NoSubtype)
	}
	r.fill(event, evdHandle)
	return Success
}

// limit adds the timeout to a context.
func (t Timeout) limit(ctx context.Context) (context.Context, context.CancelFunc) {
	if t == TimeoutInfinite {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, t.duration())
}

func (d *evd) checkWait(threshold Count, event *Event, nmore *Count) Return {
	switch {
	case threshold < 1:
		return badArg(3)
	case event == nil:
		return badArg(4)
	case nmore == nil:
		return badArg(5)
	case threshold > 1:
		if int(threshold) > d.d.Cap() {
			return badArg(3)
		}
		switch EVDState(d.config.Load()) {
		case EVDStateConfigNotify:
			return failure(InvalidState, InvalidStateEVDConfigNotify)
		case EVDStateConfigSolicited:
			return failure(InvalidState, InvalidStateEVDConfigSolicited)
		}
	}
	return Success
}

// waitError translates the end of a wait without an event.
func (d *evd) waitError(err error) Return {
	switch codeOf(err) {
	case rdma.ErrTimeout:
		return failure(TimeoutExpired, NoSubtype)
	case rdma.ErrClosed:
		return failure(Abort, NoSubtype)
	case rdma.ErrState:
		return failure(InvalidState, d.whyNot())
	case rdma.ErrInvalid:
		return badArg(3)
	}
	return result(err)
}

func (d *evd) whyNot() Return {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.unwaitable || d.dead || d.d.State()&waitingBit == 0 { // without a waiter: it was so for a moment
		return InvalidStateEVDUnwaitable
	}
	return InvalidStateEVDWaiter
}

// EVDDequeue takes the first event, without waiting (dat_evd_dequeue; 1.0 prints
// dat_evd_dequeued). [QueueEmpty] if there is none. It works on disabled and unwaitable
// dispatchers, but not while a goroutine waits.
func EVDDequeue(evdHandle EVDHandle, event *Event) Return {
	d := evds.Get(Handle(evdHandle))
	if d == nil {
		return badEVD
	}
	if event == nil {
		return badArg(2)
	}
	var err error
	if d.cq == nil {
		var r record
		if err = feed(d.d).DequeueInto(&r); err == nil {
			r.fill(event, evdHandle)
		}
	} else {
		err = feed(d.d).DequeueFunc(func(r *record) { r.fill(event, evdHandle) })
	}
	if err != nil {
		return notDequeued(err)
	}
	return Success
}

func notDequeued(err error) Return {
	switch {
	case err == nil || codeOf(err) == rdma.ErrQueueEmpty:
		return failure(QueueEmpty, NoSubtype)
	case codeOf(err) == rdma.ErrState:
		return failure(InvalidState, InvalidStateEVDWaiter)
	}
	return result(err, InvalidHandle1)
}

// EVDPostSE queues an event of the program's own (dat_evd_post_se): its number has
// to be [SoftwareEvent], its pointer comes back. [QueueFull] if there is no room.
func EVDPostSE(evdHandle EVDHandle, event *Event) Return {
	d := getEVD(evdHandle)
	switch {
	case d == nil:
		return badEVD
	case d.flags&EVDSoftwareFlag == 0:
		return badArg(1)
	case event == nil || event.EventNumber != SoftwareEvent:
		return badArg(2)
	}
	err := d.d.Post(record{number: SoftwareEvent, ptr: event.EventData.SoftwareEventData.Pointer})
	if err != nil && codeOf(err) == rdma.ErrQueueFull {
		return failure(QueueFull, NoSubtype)
	}
	return result(err, InvalidHandle1)
}
