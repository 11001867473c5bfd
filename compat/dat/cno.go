package dat

import (
	"context"
	"sync"

	"github.com/godapl/godapl/rdma/event"
)

// cno is a consumer notification object: a native set, whose trigger a wait takes.
type cno struct {
	object
	set   *event.Set
	proxy ProxyType
	fd    FD

	mu      sync.Mutex
	agent   OsWaitProxyAgent
	turn    uint64 // which attachment of an agent it is
	waiters int
	evds    map[event.Member]EVDHandle
	freed   bool
}

var badCNO = failure(InvalidHandle, InvalidHandleCNO)

func getCNO(h CNOHandle) *cno { return cnos.Get(Handle(h)) }

func (a *ia) getCNO(h CNOHandle) *cno {
	c := getCNO(h)
	if c == nil || c.ia != a {
		return nil
	}
	return c
}

// CNOCreate makes a notification object (dat_cno_create), with an agent or
// [OsWaitProxyAgentNull]. An agent is called once, then it is detached:
// [CNOModifyAgent] attaches it again.
func CNOCreate(iaHandle IAHandle, agent OsWaitProxyAgent, cnoHandle *CNOHandle) Return {
	a := getIA(iaHandle)
	switch {
	case a == nil:
		return badIA
	case !agent.valid():
		return badArg(2)
	case cnoHandle == nil:
		return badArg(3)
	}
	return a.newCNO(agent, proxyOf(agent), cnoHandle, nil)
}

// valid wants a function with data.
func (g OsWaitProxyAgent) valid() bool { return g.ProxyAgentFunc != nil || g.InstanceData == nil }

func (a *ia) newCNO(agent OsWaitProxyAgent, proxy ProxyType, h *CNOHandle, fd *FD) Return {
	c := &cno{set: event.NewSet(), proxy: proxy, fd: -1, evds: map[event.Member]EVDHandle{}}
	c.ia, c.handle = a, cnos.Reserve()
	if fd != nil {
		n, err := c.set.Descriptor()
		if err != nil {
			c.set.Close()
			cnos.Cancel(c.handle)
			return result(err, ResourceDevice)
		}
		c.fd, *fd = FD(n), FD(n)
	}
	cnos.Put(c.handle, c)
	c.attach(agent) // before a close of the adapter may end it, which the agent is told
	if !a.add(c.handle, c.end) {
		c.attach(OsWaitProxyAgentNull) // the program has got an error
		c.end()
		return badIA
	}
	*h = CNOHandle(c.handle)
	return Success
}

// CNOModifyAgent attaches another agent, or none (dat_cno_modify_agent). One that
// comes when the object is triggered already is called at once.
func CNOModifyAgent(cnoHandle CNOHandle, agent OsWaitProxyAgent) Return {
	c := getCNO(cnoHandle)
	if c == nil {
		return badCNO
	}
	if !agent.valid() {
		return badArg(2)
	}
	if !c.attach(agent) {
		return badCNO
	}
	return Success
}

// attach makes the next trigger call the agent, on a goroutine of its own. It returns false if the object is freed or
// ended: nothing would call the agent any more.
func (c *cno) attach(agent OsWaitProxyAgent) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.freed {
		return false
	}
	c.agent = agent
	c.turn++
	if agent.ProxyAgentFunc == nil {
		c.set.Notify(nil)
		return true
	}
	turn := c.turn
	c.set.Notify(func(m event.Member) { c.call(turn, m) })
	return true
}

// call detaches the agent and calls it, unless another came meanwhile.
func (c *cno) call(turn uint64, m event.Member) {
	c.mu.Lock()
	agent, h := c.agent, c.evds[m]
	ours := turn == c.turn && agent.ProxyAgentFunc != nil
	if ours {
		c.agent = OsWaitProxyAgent{}
	}
	c.mu.Unlock()
	if ours {
		agent.ProxyAgentFunc(agent.InstanceData, h)
	}
}

// CNOQuery returns the properties of a notification object (dat_cno_query).
func CNOQuery(cnoHandle CNOHandle, cnoParamMask CNOParamMask, cnoParam *CNOParam) Return {
	c := getCNO(cnoHandle)
	switch {
	case c == nil:
		return badCNO
	case cnoParamMask > 4 && cnoParamMask != 7:
		return badArg(2)
	case cnoParam == nil:
		return badArg(3)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	*cnoParam = CNOParam{IAHandle: IAHandle(c.ia.handle), Agent: c.agent, ProxyType: c.proxy, FD: c.fd}
	if c.proxy != ProxyTypeFD {
		cnoParam.ProxyType = proxyOf(c.agent)
	}
	return Success
}

// CNOFree frees a notification object (dat_cno_free). [InvalidState] while dispatchers
// refer to it or a goroutine waits for it. It waits for a running agent, so an agent
// must not call it.
func CNOFree(cnoHandle CNOHandle) Return {
	c := getCNO(cnoHandle)
	if c == nil {
		return badCNO
	}
	c.mu.Lock()
	busy := len(c.evds) > 0 || c.waiters > 0
	if !busy {
		c.agent = OsWaitProxyAgent{} // is not called any more
		c.freed = true
	}
	c.mu.Unlock()
	if busy {
		return failure(InvalidState, InvalidStateCNOInUse)
	}
	if !cnos.Remove(c.handle) {
		return badCNO
	}
	c.ia.forget(c.handle)
	c.set.Close()
	return Success
}

// end is called when the adapter is closed, and reports that to the agent.
func (c *cno) end() {
	cnos.Remove(c.handle)
	c.mu.Lock()
	agent := c.agent
	c.agent, c.freed = OsWaitProxyAgent{}, true
	c.mu.Unlock()
	c.set.Close()
	if agent.ProxyAgentFunc != nil {
		agent.ProxyAgentFunc(agent.InstanceData, HandleNull)
	}
}

// CNOWait waits for a trigger (dat_cno_wait). A trigger without a waiter stays for the
// next wait; one wait takes it. *evdHandle is a hint: drain all dispatchers of the
// object. Now and then none has an event, because a device reports late what was taken
// before. *evdHandle is null, with success, if the adapter or the last dispatcher went
// away; if that dispatcher was freed, later waits end so at once, until another is attached.
// At the timeout: [QueueEmpty].
func CNOWait(cnoHandle CNOHandle, timeout Timeout, evdHandle *EVDHandle) Return {
	return cnoWait(cnoHandle, evdHandle, 3, func(c *cno) (event.Member, error) {
		return c.set.WaitTriggerTimeout(timeout.duration())
	})
}

// CNOWaitContext is [CNOWait] that also ends with ctx: [InterruptedCall]. C has no
// such call.
func CNOWaitContext(ctx context.Context, cnoHandle CNOHandle, timeout Timeout, evdHandle *EVDHandle) Return {
	if ctx == nil && getCNO(cnoHandle) != nil {
		return failure(InvalidParameter, NoSubtype) // C has no such argument, so no number
	}
	ret := cnoWait(cnoHandle, evdHandle, 3, func(c *cno) (event.Member, error) {
		limited, cancel := timeout.limit(ctx)
		defer cancel()
		return c.set.WaitTrigger(limited)
	})
	if ret.Type() == QueueEmpty && ctx.Err() != nil {
		return failure(InterruptedCall, NoSubtype)
	}
	return ret
}

func cnoWait(h CNOHandle, evdHandle *EVDHandle, arg int, wait func(*cno) (event.Member, error)) Return {
	c := getCNO(h)
	if c == nil {
		return badCNO
	}
	if evdHandle == nil {
		return badArg(arg)
	}
	*evdHandle = HandleNull
	c.count(1)
	m, err := wait(c)
	c.count(-1)
	return c.waited(m, err, evdHandle)
}

func (c *cno) count(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.waiters += n
}

// CNOFDCreate makes a notification object with a file descriptor that is readable
// while it is triggered (dat_cno_fd_create, 2.0). The descriptor is only to be
// polled: it goes with [CNOFree]. [ModelNotSupported] where the system has none.
func CNOFDCreate(iaHandle IAHandle, fd *FD, cnoHandle *CNOHandle) Return {
	a := getIA(iaHandle)
	switch {
	case a == nil:
		return badIA
	case fd == nil:
		return badArg(2)
	case cnoHandle == nil:
		return badArg(3)
	}
	return a.newCNO(OsWaitProxyAgent{}, ProxyTypeFD, cnoHandle, fd)
}

// CNOTrigger takes a pending trigger without waiting (dat_cno_trigger, 2.0):
// [QueueEmpty] if there is none. Without a dispatcher it is like [CNOWait].
func CNOTrigger(cnoHandle CNOHandle, evdHandle *EVDHandle) Return {
	return cnoWait(cnoHandle, evdHandle, 2, func(c *cno) (event.Member, error) { return c.set.WaitTriggerTimeout(0) })
}

// modifyCNO moves the dispatcher to another notification object, or to none. If the other one has been freed, it
// returns false, and the dispatcher stays where it is. Several calls take turns: a dispatcher that entered two at a
// time could leave one of them only.
func (d *evd) modifyCNO(c *cno) bool {
	d.moving.Lock()
	defer d.moving.Unlock()
	d.mu.Lock()
	former := d.cno
	d.mu.Unlock()
	switch {
	case c == nil:
		d.leave()
		return true
	case c == former: // queued events trigger it once more
		c.set.Remove(d.d)
		return c.set.Add(d.d) == nil
	case !c.enter(d):
		return false
	}
	d.leave()
	return d.join(c)
}

// enter keeps the object from being freed while the dispatcher moves to it; false if it has been.
func (c *cno) enter(d *evd) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.freed {
		return false
	}
	c.evds[d.d] = EVDHandle(d.handle)
	return true
}

// join and leave are the dispatcher's side, behind enter. d.moving is held. A set that is closed is that of an
// adapter that is.
func (d *evd) join(c *cno) bool {
	d.mu.Lock()
	d.cno = c
	d.mu.Unlock()
	if c.set.Add(d.d) != nil {
		d.leave()
		return false
	}
	return true
}

func (d *evd) leave() {
	d.mu.Lock()
	c := d.cno
	d.cno = nil
	d.mu.Unlock()
	if c == nil {
		return
	}
	c.set.Remove(d.d) // an error: closed, and so gone from it already
	c.mu.Lock()
	delete(c.evds, d.d)
	c.mu.Unlock()
}

func proxyOf(agent OsWaitProxyAgent) ProxyType {
	if agent.ProxyAgentFunc == nil {
		return ProxyTypeNone
	}
	return ProxyTypeAgent
}
