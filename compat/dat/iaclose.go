package dat

import "sync"

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
	a.entry.unuse()
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
