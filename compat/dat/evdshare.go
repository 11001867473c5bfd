package dat

import "github.com/godapl/godapl/rdma/event"

const (
	enabledBit  = event.Enabled
	waitableBit = event.Waitable
	waitingBit  = event.Waiting
)

// The rules for sharing a dispatcher. All streams of completions must have the same
// attribute, and only counted completions (EVD_THRESHOLD) may share it with connection
// events, requests and asynchronous errors.

// configOf is the configuration that an attribute of an endpoint makes.
func configOf(attr CompletionFlags) EVDState {
	switch {
	case attr&CompletionSolicitedWaitFlag != 0:
		return EVDStateConfigSolicited
	case attr&CompletionEVDThresholdFlag != 0:
		return EVDStateConfigThreshold
	}
	return EVDStateConfigNotify
}

// role is a stream of an endpoint: completions with an attribute, or connection
// events.
type role struct {
	d    *evd
	dto  bool
	attr CompletionFlags
}

// join attaches the stream, or says that it may not be there.
func (r role) join() bool {
	d := r.d
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case d.freed:
		return false
	case r.dto && d.dtos > 0 && d.attr != r.attr:
		return false
	case r.dto && d.users > d.dtos && configOf(r.attr) != EVDStateConfigThreshold:
		return false
	case !r.dto && d.dtos > 0 && configOf(d.attr) != EVDStateConfigThreshold:
		return false
	}
	d.users++
	if r.dto {
		d.dtos++
		d.attr = r.attr
		d.configure(configOf(r.attr))
	}
	return true
}

// configure sets the configuration. If completions may arrive that wake no waiter,
// waiters check the queue only when they are woken.
func (d *evd) configure(s EVDState) {
	d.config.Store(uint32(s))
	burst := -1
	if s == EVDStateConfigThreshold {
		burst = 0
	}
	feed(d.d).SetBurst(burst)
}

func (r role) leave() {
	d := r.d
	d.mu.Lock()
	defer d.mu.Unlock()
	d.users--
	if r.dto {
		d.dtos--
	}
	if d.dtos == 0 {
		d.configure(EVDStateConfigThreshold)
	}
}

// joinAll attaches all or none.
func joinAll(roles []role) bool {
	for i, r := range roles {
		if !r.join() {
			leaveAll(roles[:i])
			return false
		}
	}
	return true
}

func leaveAll(roles []role) {
	for _, r := range roles {
		r.leave()
	}
}
