package dat

import (
	"slices"
	"sync"
)

// IAClose closes an adapter (dat_ia_close). A graceful close succeeds only if the
// program has freed all its objects; the asynchronous dispatcher of the open does not
// count. An abrupt close always ends everything: connections break, waits for events
// return [Abort], and waits for notifications return success with a null dispatcher.
// IAClose blocks until nothing of the adapter is running, so it must not be called from
// an agent.
func IAClose(iaHandle IAHandle, iaFlags CloseFlags) Return {
	a := getIA(iaHandle)
	if a == nil {
		return badIA
	}
	if iaFlags != CloseAbruptFlag && iaFlags != CloseGracefulFlag {
		return badArg(2)
	}
	a.mu.Lock()
	if iaFlags == CloseGracefulFlag && a.consumerObjects() > 0 {
		a.mu.Unlock()
		return failure(InvalidState, InvalidStateIAInUse)
	}
	if !ias.Remove(a.handle) {
		a.mu.Unlock()
		return badIA
	}
	a.closed = true
	left := a.objects
	a.objects = map[Handle]func(){}
	a.mu.Unlock()
	a.shut(left)
	return Success
}

// consumerObjects counts the objects that the program must free. a.mu is held.
func (a *ia) consumerObjects() int {
	n := len(a.objects)
	if a.made {
		n--
	}
	for h := range a.objects {
		switch kindOf(h) {
		case HandleTypeCR:
			n-- // the provider's
		case HandleTypeRSP:
			if s := rsps.Get(h); s != nil && s.spent.Load() {
				n-- // it has ended itself
			}
		case HandleTypeEP:
			if e := eps.Get(h); e != nil && EPState(e.phase.Load()) == EPStateTentativeConnectionPending {
				n-- // the provider's until its request is accepted
			}
		}
	}
	return n
}

// shutOrder is the order in which objects end: the dispatchers, which calls wait for, end
// last, and the notification objects after them.
var shutOrder = [...]HandleType{HandleTypeRMR, HandleTypeRSP, HandleTypePSP, HandleTypeCSP, HandleTypeCR, HandleTypeEP,
	HandleTypeSRQ, HandleTypeLMR, HandleTypePZ, HandleTypeEVD}

func (a *ia) shut(left map[Handle]func()) {
	opened.leave(a)
	a.cancel()
	if err := a.adapter.Close(); err != nil && a.entry.provider.Options.Log != nil {
		a.entry.provider.Options.Log.Error("dat: close adapter", "adapter", a.name, "err", err)
	}
	a.goroutines.Wait()
	if a.drain != nil {
		a.drain.stop()
	}
	if a.async != nil {
		a.async.unuse()
	}
	for _, kind := range shutOrder {
		for h, end := range left {
			if kindOf(h) == kind {
				end()
			}
		}
	}
	endNotifications(left)
	registry.mu.Lock()
	a.entry.opens--
	registry.mu.Unlock()
}

// endNotifications ends the notification objects, all at the same time: the end of each waits for its
// agent, which may wait on another of them.
func endNotifications(left map[Handle]func()) {
	var all sync.WaitGroup
	for h, end := range left {
		if kindOf(h) == HandleTypeCNO {
			all.Go(end)
		}
	}
	all.Wait()
}

// opened is all open adapters. An open that leaves its asynchronous errors to another
// one finds it here.
var opened openList

func (l *openList) enter(a *ia) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = append(l.all, a)
}

func (l *openList) leave(a *ia) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = slices.DeleteFunc(l.all, func(o *ia) bool { return o == a })
}

// offers reports whether an open adapter has that service point. On the network a
// service of more than 16 bits has several candidate ports, so one adapter alone
// cannot answer that.
func (l *openList) offers(name string, qual ConnQual) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, o := range l.all {
		if o.name != name {
			continue
		}
		o.mu.Lock()
		s := o.services[qual]
		o.mu.Unlock()
		if s != nil && !s.spent.Load() {
			return true
		}
	}
	return false
}

// collector is the dispatcher of another open of the same adapter.
func (l *openList) collector(a *ia) *evd {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, o := range l.all {
		if o != a && o.name == a.name && o.async != nil {
			return o.async
		}
	}
	return nil
}
