package dat

import (
	"cmp"
	"slices"

	"github.com/godapl/godapl/rdma/event"
)

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

// allowed reports whether the stream may be there. d.mu is held.
func (r role) allowed() bool {
	d := r.d
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
	return true
}

// join attaches the stream. d.mu is held.
func (r role) join() {
	d := r.d
	d.users++
	if r.dto {
		d.dtos++
		d.attr = r.attr
		d.configure(configOf(r.attr))
	}
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

// leave is the opposite. d.mu is held.
func (r role) leave() {
	d := r.d
	d.users--
	if r.dto {
		d.dtos--
	}
	if d.dtos == 0 {
		d.configure(EVDStateConfigThreshold)
	}
}

// replaceRoles detaches the streams of from and attaches those of to, in one step: nobody frees a dispatcher in
// between, or attaches another stream. It changes nothing and returns false if to is not allowed.
func replaceRoles(from, to []role) bool {
	defer lockAll(from, to)()
	leaveEach(from)
	for i, r := range to {
		if !r.allowed() {
			leaveEach(to[:i])
			joinEach(from)
			return false
		}
		r.join()
	}
	return true
}

// restoreRoles undoes replaceRoles.
func restoreRoles(from, to []role) {
	defer lockAll(from, to)()
	leaveEach(to)
	joinEach(from)
}

func joinEach(roles []role) {
	for _, r := range roles {
		r.join()
	}
}

func leaveEach(roles []role) {
	for _, r := range roles {
		r.leave()
	}
}

// lockAll locks all dispatchers of roles, in the order of their handles, and returns what unlocks them.
func lockAll(a, b []role) (unlock func()) {
	var all []*evd
	for _, r := range slices.Concat(a, b) {
		all = append(all, r.d)
	}
	slices.SortFunc(all, func(x, y *evd) int { return cmp.Compare(x.handle, y.handle) })
	all = slices.Compact(all)
	for _, d := range all {
		d.mu.Lock()
	}
	return func() {
		for _, d := range all {
			d.mu.Unlock()
		}
	}
}
