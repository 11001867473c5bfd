package group

import (
	"math/bits"
	"sync"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/core"
	"github.com/godapl/godapl/internal/shm"
)

// A Member is a connection of a group.
type Member interface {
	// Arm handles what has come. What comes later raises the flag again.
	Arm()
	// Poll also handles what the peer does without raising the flag: it may acknowledge requests that nobody waits for.
	Poll(*core.CQ, *hca.WC) bool
}

// A roster is the connections that share a doorbell, each with a flag.
type roster struct {
	number uint64 // by which the peer knows it

	mu      sync.Mutex // guards the rest; held for a few instructions, and while a descriptor moves
	page    page
	event   int
	bell    int32    // number of event in the adapter's poller
	members []Member // by slot
	free    []int    // slots of members that have left
	closed  bool
}

// open makes the doorbell, which is armed: somebody may sleep already. listen lets the adapter's poller hear it.
func (r *roster) open(listen func() error) (err error) {
	r.number = core.Numbers.Add(1)
	if r.event, err = shm.NewEvent(); err != nil {
		return err
	}
	if r.page, err = newPage(); err == nil {
		r.page.bell.Arm()
		if err = listen(); err == nil {
			return nil
		}
		_ = r.page.seg.Close()
	}
	shm.CloseFD(r.event)
	return err
}

// fds are for the peer's [Ringers].
func (r *roster) fds() []int { return []int{r.page.seg.FD(), r.event} }

// enter takes a member in. ok is false if the roster is full.
func (r *roster) enter(m Member) (slot int, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if n := len(r.free); n > 0 {
		slot = r.free[n-1]
		r.free = r.free[:n-1]
		r.members[slot] = m
		return slot, true
	}
	if len(r.members) == Most {
		return 0, false
	}
	r.members = append(r.members, m)
	return len(r.members) - 1, true
}

// vacate takes a member out. With the last one the doorbell ends, and last is true. unlisten takes it out of the adapter's
// poller before.
func (r *roster) vacate(slot int, unlisten func()) (last bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.members[slot] = nil
	r.free = append(r.free, slot)
	if last = len(r.free) == len(r.members); last {
		r.closed = true
		unlisten()
		shm.CloseFD(r.event)
		_ = r.page.seg.Close()
	}
	return last
}

// look handles what has come on all connections, each once. It reports whether something has.
func (r *roster) look() (found bool) {
	var ready [wordBits]Member
	for word, all := 0, false; !all; word++ {
		var n int
		n, all = r.raised(&ready, word)
		for _, m := range ready[:n] {
			m.Arm() // inside no lock: it may call the program
			found = true
		}
	}
	return found
}

// raised lowers the flags of a word and returns their members. all is true with the last word.
func (r *roster) raised(into *[wordBits]Member, word int) (n int, all bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return 0, true
	}
	first := word * wordBits
	for f := r.page.lower(word); f != 0; f &= f - 1 {
		slot := first + bits.TrailingZeros64(f)
		if slot >= len(r.members) {
			break // the peer raises what no member has
		}
		if m := r.members[slot]; m != nil {
			into[n] = m
			n++
		}
	}
	return n, first+wordBits >= len(r.members)
}
