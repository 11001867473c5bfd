package vipl

import (
	"time"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/event"
)

// SendDone takes the oldest descriptor off the send queue if it is complete (VipSendDone).
// It never blocks. [NotDone], with a nil descriptor, if it is not, or if the queue is empty;
// [DescriptorError] if it has completed with an error, which its status tells.
func SendDone(viHandle VIHandle, descriptorPtr **Descriptor) Return {
	v := vis.Near(uint64(viHandle))
	if v == nil {
		v = getVI(viHandle)
	}
	if v == nil || descriptorPtr == nil {
		return InvalidParameter
	}
	q := &v.send
	if q.own == nil {
		return q.done(descriptorPtr)
	}
	var d *Descriptor
	ret := NotDone
	q.mu.Lock()
	if q.head != q.tail {
		p := q.at(q.head)
		if !p.done && q.own.Poll(q.got[:]) > 0 {
			// Most sends complete in order: what take and off would do for them is here, without a call.
			if c := &q.got[0]; c.Cookie == p.cookie && c.Status == rdma.StatusOK && c.Op != 0 && p.given {
				d = p.desc
				d.finish(p.op, d.CS.Length)
				p.desc, p.done = nil, true
				q.head++
				if q.hand.full {
					q.pass()
				}
				q.mu.Unlock()
				*descriptorPtr = d
				return Success
			}
			q.take(p)
		}
		d, ret = q.off(p)
	}
	q.mu.Unlock()
	*descriptorPtr = d
	return ret
}

// RecvDone is [SendDone] for the receive queue (VipRecvDone).
func RecvDone(viHandle VIHandle, descriptorPtr **Descriptor) Return {
	v := getVI(viHandle)
	if v == nil || descriptorPtr == nil {
		return InvalidParameter
	}
	return v.recv.done(descriptorPtr)
}

func (q *workQueue) done(to **Descriptor) Return {
	if q.cq != nil && !q.ready() {
		q.cq.gather()
	}
	var d *Descriptor
	ret := NotDone
	q.mu.Lock()
	if q.head != q.tail {
		p := q.at(q.head)
		if !p.done && q.own != nil && q.own.Poll(q.got[:]) > 0 {
			q.take(p)
		}
		d, ret = q.off(p)
	}
	q.mu.Unlock()
	*to = d
	return ret
}

// off takes the oldest descriptor off the queue, if it is complete. The caller holds mu.
func (q *workQueue) off(p *posted) (d *Descriptor, ret Return) {
	if !p.done {
		return nil, NotDone
	}
	d, p.desc = p.desc, nil
	q.head++
	if q.hand.full {
		q.pass()
	}
	if p.bad {
		return d, DescriptorError
	}
	return d, Success
}

// pass wakes who sleeps, if the next descriptor is complete as well: the completion that would have done so is taken.
// The caller holds mu.
func (q *workQueue) pass() {
	if q.next() {
		q.nudge()
	}
}

// next tells whether the oldest descriptor is there, and complete. The caller holds mu.
func (q *workQueue) next() bool { return q.head != q.tail && q.at(q.head).done }

// take notes a native completion, and takes more until p is complete, or there is none. The caller holds mu.
func (q *workQueue) take(p *posted) {
	for q.note(&q.got[0]); !p.done && q.own.Poll(q.got[:]) > 0; {
		q.note(&q.got[0])
	}
}

// ready tells whether the oldest descriptor is complete, or there is none.
func (q *workQueue) ready() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.head == q.tail || q.at(q.head).done
}

// note is complete for a completion of the queue's own dispatcher.
func (q *workQueue) note(c *rdma.Completion) {
	q.complete(c.Cookie, c.Op, c.Status, uint32(c.Length), c.Immediate)
}

// SendWait is [SendDone] that waits until the oldest descriptor is complete, for so many
// milliseconds (VipSendWait). [Timeout], with a nil descriptor, when they have passed.
// Several goroutines may wait; they are served in the order of their calls. ErrorResource if
// the queue has a completion queue, InvalidParameter if the VI goes away.
func SendWait(viHandle VIHandle, timeOut uint32, descriptorPtr **Descriptor) Return {
	v := getVI(viHandle)
	if v == nil || descriptorPtr == nil {
		return InvalidParameter
	}
	return v.send.wait(timeOut, descriptorPtr)
}

// RecvWait is [SendWait] for the receive queue (VipRecvWait).
func RecvWait(viHandle VIHandle, timeOut uint32, descriptorPtr **Descriptor) Return {
	v := getVI(viHandle)
	if v == nil || descriptorPtr == nil {
		return InvalidParameter
	}
	return v.recv.wait(timeOut, descriptorPtr)
}

func (q *workQueue) wait(timeout uint32, to **Descriptor) Return {
	*to = nil
	if q.cq != nil {
		return ErrorResource
	}
	if timeout == 0 || len(q.waits) > 0 { // whoever waits already comes first
		if ret := q.done(to); ret != NotDone || timeout == 0 {
			return timedOut(ret)
		}
	}
	t := until(timeout)
	if ret := t.enter(q.vi.nic, q.waits); ret != Success {
		return ret
	}
	defer func() { q.waits <- struct{}{} }()
	for {
		if ret := q.done(to); ret != NotDone {
			return ret
		}
		if err := q.sleep(t); err != nil {
			if codeOf(err) == rdma.ErrTimeout {
				return timedOut(q.done(to))
			}
			return InvalidParameter
		}
	}
}

// sleep waits for one native completion, and notes it. It returns at once if another goroutine has noted one since
// the caller looked.
func (q *workQueue) sleep(t limit) error {
	beforeSleep(false)
	q.mu.Lock()
	if q.next() {
		q.mu.Unlock()
		return nil
	}
	q.hand.full = true
	q.mu.Unlock()
	beforeSleep(true)
	var c rdma.Completion
	_, err := event.ProviderOf(q.own).WaitTimeoutInto(&c, t.left(), 1)
	if taken != nil {
		taken()
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if err == nil {
		q.note(&c)
	}
	q.hand.empty()
	return err
}

// settle waits until a waiter has noted what it has taken from the dispatcher, which is empty.
func (q *workQueue) settle() {
	if q.cq != nil {
		q.cq.settle()
		return
	}
	q.mu.Lock()
	noted := q.hand.noted()
	q.mu.Unlock()
	if noted != nil {
		q.nudge()
		<-noted
	}
}

// timedOut is the result of a wait whose time has run out.
func timedOut(ret Return) Return {
	if ret == NotDone {
		return Timeout
	}
	return ret
}

// limit is the time that a wait may take.
type limit struct{ end time.Time }

func until(timeout uint32) limit {
	if timeout == Infinite {
		return limit{}
	}
	return limit{time.Now().Add(milliseconds(timeout))}
}

func milliseconds(timeout uint32) time.Duration { return time.Duration(timeout) * time.Millisecond }

// left is how long the wait may go on.
func (t limit) left() time.Duration {
	if t.end.IsZero() {
		return event.Forever
	}
	return time.Until(t.end)
}

// enter waits for its turn to wait.
func (t limit) enter(n *nic, turn chan struct{}) Return {
	select {
	case <-turn:
		return Success
	default:
	}
	var over <-chan time.Time
	if !t.end.IsZero() {
		timer := time.NewTimer(t.left())
		defer timer.Stop()
		over = timer.C
	}
	select {
	case <-turn:
		return Success
	case <-over:
		return Timeout
	case <-n.ctx.Done():
		return InvalidParameter
	}
}
