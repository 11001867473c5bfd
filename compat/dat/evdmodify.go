package dat

import "github.com/godapl/godapl/rdma"

// EVDQuery returns the properties of a dispatcher (dat_evd_query).
func EVDQuery(evdHandle EVDHandle, evdParamMask EVDParamMask, evdParam *EVDParam) Return {
	d := getEVD(evdHandle)
	switch {
	case d == nil:
		return badEVD
	case evdParamMask&^EVDFieldAll != 0:
		return badArg(2)
	case evdParam == nil:
		return badArg(3)
	}
	*evdParam = EVDParam{IAHandle: IAHandle(d.ia.handle), EVDQlen: Count(d.d.Cap()), EVDState: d.state(), EVDFlags: d.flags}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.cno != nil {
		evdParam.CNOHandle = CNOHandle(d.cno.handle)
	}
	return Success
}

func (d *evd) state() EVDState {
	s := EVDState(d.config.Load())
	if d.d.State()&enabledBit != 0 {
		s |= EVDStateEnabled
	} else {
		s |= EVDStateDisabled
	}
	if d.d.State()&waitableBit != 0 {
		s |= EVDStateWaitable
	} else {
		s |= EVDStateUnwaitable
	}
	return s
}

// EVDEnable makes arrivals trigger the notification object again (dat_evd_enable).
// If events are queued it is triggered at once, so that none is missed.
func EVDEnable(evdHandle EVDHandle) Return {
	d := getEVD(evdHandle)
	if d == nil {
		return badEVD
	}
	feed(d.d).Enable()
	return Success
}

// EVDDisable makes arrivals not trigger it (dat_evd_disable). Events are queued,
// waited for and dequeued as before.
func EVDDisable(evdHandle EVDHandle) Return {
	d := getEVD(evdHandle)
	if d == nil {
		return badEVD
	}
	feed(d.d).Disable()
	return Success
}

// EVDSetUnwaitable forbids waiting (dat_evd_set_unwaitable, 1.1): waiting calls return
// [InvalidState].
func EVDSetUnwaitable(evdHandle EVDHandle) Return { return setWaitable(evdHandle, false) }

// EVDClearUnwaitable allows it again (dat_evd_clear_unwaitable, 1.1).
func EVDClearUnwaitable(evdHandle EVDHandle) Return { return setWaitable(evdHandle, true) }

func setWaitable(h EVDHandle, ok bool) Return {
	d := getEVD(h)
	if d == nil {
		return badEVD
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.unwaitable = !ok
	feed(d.d).SetWaitable(ok && !d.dead)
	return Success
}

// EVDResize changes the minimum capacity of the queue, in events (dat_evd_resize). No
// event is lost: [InvalidState] if more are queued, or a goroutine waits.
func EVDResize(evdHandle EVDHandle, evdMinQlen Count) Return {
	d := getEVD(evdHandle)
	if d == nil {
		return badEVD
	}
	most := d.ia.attr.MaxCompletionDepth
	if evdMinQlen <= 0 || most > 0 && int(evdMinQlen) > most {
		return badArg(2)
	}
	feed(d.d).Pump()
	former := d.d.Cap()
	if err := d.d.Resize(int(evdMinQlen)); err != nil {
		return result(err, d.resizeRefusal(), InvalidHandle1)
	}
	if d.cq == nil {
		return Success
	}
	// A queue of completions that cannot shrink at the moment holds more than
	// requested, which is allowed.
	if err := d.cq.Resize(int(evdMinQlen)); err != nil && codeOf(err) == rdma.ErrResources {
		_ = d.d.Resize(former) // a longer one is allowed, if events or a waiter are in the way
		return result(err, ResourceTEVD)
	}
	return Success
}

func (d *evd) resizeRefusal() Return {
	if d.d.State()&waitingBit != 0 {
		return InvalidStateEVDWaiter
	}
	return InvalidStateEVDInUse
}

// EVDModifyCNO attaches another notification object, or none (dat_evd_modify_cno).
// Queued events trigger the new one.
func EVDModifyCNO(evdHandle EVDHandle, cnoHandle CNOHandle) Return {
	d := getEVD(evdHandle)
	if d == nil {
		return badEVD
	}
	var c *cno
	if cnoHandle != HandleNull {
		if c = d.ia.getCNO(cnoHandle); c == nil {
			return badCNO
		}
	}
	if !d.modifyCNO(c) {
		return badCNO
	}
	return Success
}
