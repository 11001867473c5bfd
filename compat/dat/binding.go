package dat

import "github.com/godapl/godapl/rdma/mem"

// binding is a bind of a window that was posted. It goes along with the post in the place of the cookie, so that
// its completion finds it, also when the window has been freed.
type binding struct {
	rmr     *rmr
	cookie  RMRCookie // the program's
	region  mem.Slice
	triplet LMRTriplet
	priv    MemPrivFlags

	// Guarded by ia.mu.
	key    RMRContext // 0: it unbinds, or a peer has revoked it
	before *binding   // is in effect if this one fails
	done   bool       // it has completed
	failed bool
}

// posted makes the bind the window's latest. Its completion may have been taken already.
func (b *binding) posted(key RMRContext) {
	a := b.rmr.ia
	a.mu.Lock()
	defer a.mu.Unlock()
	if b.failed {
		return
	}
	b.key, b.before, b.rmr.latest = key, b.rmr.latest, b
	if key != 0 {
		a.bound[key] = b
	}
	if b.done {
		b.replace()
	}
}

// completed is called when it is known how the bind has ended.
func (b *binding) completed(ok bool) {
	a := b.rmr.ia
	a.mu.Lock()
	defer a.mu.Unlock()
	if b.done = true; ok {
		b.replace()
		return
	}
	// The binds before it are in effect as they were.
	b.failed = true
	a.unbind(b)
	for at := &b.rmr.latest; *at != nil; at = &(*at).before {
		if *at == b {
			*at = b.before
			return
		}
	}
}

// replace forgets the binds before this one. ia.mu is held.
func (b *binding) replace() {
	for x := b.before; x != nil; x = x.before {
		b.rmr.ia.unbind(x)
	}
	b.before = nil
}

// unbind forgets a key. a.mu is held.
func (a *ia) unbind(b *binding) {
	if a.bound[b.key] == b {
		delete(a.bound, b.key)
	}
	b.key = 0
}

// unbound forgets all binds of a window that is freed.
func (r *rmr) unbound() {
	r.ia.mu.Lock()
	defer r.ia.mu.Unlock()
	if b := r.latest; b != nil {
		b.replace()
		r.ia.unbind(b)
	}
}

// revoked is called when a peer has revoked the key of a window, which thereby is unbound.
func (a *ia) revoked(key RMRContext) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if b := a.bound[key]; b != nil {
		a.unbind(b)
	}
}

// window is the memory of a triplet with the key of a window's latest bind.
func (a *ia) window(t *RMRTriplet) (mem.Slice, Return) {
	a.mu.Lock()
	defer a.mu.Unlock()
	b := a.bound[t.RMRContext]
	if b == nil || b.rmr.latest != b || b.priv&MemPrivRemoteWriteFlag == 0 {
		return mem.Slice{}, failure(PrivilegesViolation, PrivilegesRDMAWrite)
	}
	off := t.TargetAddress - b.triplet.VirtualAddress
	if Vlen(off) > b.triplet.SegmentLength || t.SegmentLength > b.triplet.SegmentLength-Vlen(off) {
		return mem.Slice{}, badArg(2)
	}
	return b.region.Slice(int(off), int(t.SegmentLength)), Success
}
