package vipl

import (
	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/event"
)

// CQDone takes the oldest entry off a completion queue (VipCQDone): a descriptor of that VI
// is complete, in its receive queue or in its send queue. RecvDone or SendDone then take
// that. It never blocks. [NotDone] if there is no entry.
func CQDone(cqHandle CQHandle, viHandle *VIHandle, recvQueue *bool) Return {
	c := getCQ(cqHandle)
	if c == nil || viHandle == nil || recvQueue == nil {
		return InvalidParameter
	}
	return c.take(viHandle, recvQueue)
}

func (c *cq) take(vi *VIHandle, recv *bool) Return {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.first == len(c.entries) {
		if c.collect(true); c.first == len(c.entries) {
			*vi, *recv = 0, false
			return NotDone
		}
	}
	e := c.entries[c.first]
	if c.first++; c.hand.full && c.first != len(c.entries) {
		_ = c.d.Post(record{}) // what was collected would have woken who sleeps
	}
	*vi, *recv = e.vi, e.recv
	return Success
}

// CQWait is [CQDone] that waits for an entry, for so many milliseconds (VipCQWait).
// [Timeout] when they have passed. Several goroutines may wait. InvalidParameter if the
// queue goes away.
func CQWait(cqHandle CQHandle, timeOut uint32, viHandle *VIHandle, recvQueue *bool) Return {
	c := getCQ(cqHandle)
	if c == nil || viHandle == nil || recvQueue == nil {
		return InvalidParameter
	}
	return c.wait(timeOut, viHandle, recvQueue)
}

func (c *cq) wait(timeout uint32, vi *VIHandle, recv *bool) Return {
	if ret := c.take(vi, recv); ret != NotDone || timeout == 0 {
		return timedOut(ret)
	}
	t := until(timeout)
	if ret := t.enter(c.nic, c.waits); ret != Success {
		return ret
	}
	defer func() { c.waits <- struct{}{} }()
	for {
		if ret := c.take(vi, recv); ret != NotDone {
			return ret
		}
		if err := c.sleep(t); err != nil {
			if codeOf(err) == rdma.ErrTimeout {
				return timedOut(c.take(vi, recv))
			}
			return InvalidParameter
		}
	}
}

// sleep and settle are those of a work queue.
func (c *cq) sleep(t limit) error {
	beforeSleep(false)
	c.mu.Lock()
	if c.first != len(c.entries) {
		c.mu.Unlock()
		return nil
	}
	c.hand.full = true
	c.mu.Unlock()
	beforeSleep(true)
	var r record
	_, err := event.ProviderOf(c.d).WaitTimeoutInto(&r, t.left(), 1)
	if taken != nil {
		taken()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if err == nil {
		c.note(&r)
	}
	c.hand.empty()
	return err
}

func (c *cq) settle() {
	c.mu.Lock()
	noted := c.hand.noted()
	c.mu.Unlock()
	if noted != nil {
		_ = c.d.Post(record{})
		<-noted
	}
}

// CQNotify has the handler called once, with the next entry, or one that is there
// (VipCQNotify). The entry is taken off. The handler runs on a goroutine of its own.
func CQNotify(cqHandle CQHandle, context any, handler CQHandler) Return {
	c := getCQ(cqHandle)
	if c == nil || handler == nil {
		return InvalidParameter
	}
	return c.nic.start(func() {
		var vi VIHandle
		var recv bool
		if c.wait(Infinite, &vi, &recv) == Success {
			handler(context, c.nic.handle, vi, recv)
		}
	})
}

// SendNotify has the handler called once, with the next completed descriptor of the send
// queue, or one that is there (VipSendNotify). The descriptor is taken off. The handler runs
// on a goroutine of its own; after an error it is called, too: see the status. ErrorResource
// if the queue has a completion queue.
func SendNotify(viHandle VIHandle, context any, handler QueueHandler) Return {
	v := getVI(viHandle)
	if v == nil || handler == nil {
		return InvalidParameter
	}
	return v.send.notify(context, handler)
}

// RecvNotify is [SendNotify] for the receive queue (VipRecvNotify).
func RecvNotify(viHandle VIHandle, context any, handler QueueHandler) Return {
	v := getVI(viHandle)
	if v == nil || handler == nil {
		return InvalidParameter
	}
	return v.recv.notify(context, handler)
}

func (q *workQueue) notify(context any, handler QueueHandler) Return {
	if q.cq != nil {
		return ErrorResource
	}
	n := q.vi.nic
	return n.start(func() {
		var d *Descriptor
		if q.wait(Infinite, &d); d != nil {
			handler(context, n.handle, q.vi.handle, d)
		}
	})
}
