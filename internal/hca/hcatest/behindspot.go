package hcatest

import (
	"bytes"
	"sync"

	"github.com/godapl/godapl/internal/hca"
)

// A spot is a part of a region. One operation at a time uses it.
type spot struct {
	r      *behindRegion
	off, n int
	busy   bool // posted
	len    int  // posted length
	value  byte // sources: their fill value
	idle   byte // the paint after the latest completion; 0: none yet
}

// behindRegion is a region of spots. Its fields, and those of its spots, are guarded by mu.
type behindRegion struct {
	*region
	mu    sync.Mutex
	spots []*spot
	freed bool
}

// spots makes a region of k spots of n bytes.
func (s *side) spots(pd hca.PD, k, n int, access hca.Access) *behindRegion {
	s.Helper()
	r := &behindRegion{region: s.regionIn(pd, k*n, access)}
	for i := range k {
		r.spots = append(r.spots, &spot{r: r, off: i * n, n: n})
	}
	return r
}

func (p *spot) bytes() []byte { return p.r.b[p.off : p.off+p.n] }

// take prepares the spot for its next operation, of len bytes. It fills a source with value. The
// caller holds the region's mu.
func (p *spot) take(len int, value byte) {
	p.untouched("when it was used again")
	p.busy, p.len, p.value = true, len, value
	if value != 0 && !p.r.freed {
		paint(p.bytes()[:len], value)
	}
}

// untouched checks that the spot still has its paint. The caller holds mu.
func (p *spot) untouched(when string) {
	if p.idle == 0 || p.r.freed && p.r.h.LooseRevocation {
		return
	}
	if i := other(p.bytes(), p.idle); i >= 0 {
		p.r.Errorf("%s: memory was changed after the completion: byte %d of %d is %#x, not %#x, %s", p.r.name, i, p.n, p.bytes()[i], p.idle, when)
	}
}

// done paints the spot, because its operation has completed. The caller holds mu.
func (p *spot) done(what string, v byte) {
	switch {
	case !p.busy:
		p.r.Errorf("%s: %s completed twice", p.r.name, what)
	case !p.r.freed:
		paint(p.bytes(), v)
		p.idle = v
	}
	p.busy = false
}

// free closes the region and paints all of it.
func (r *behindRegion) free(v byte) error {
	if err := r.mr.Close(); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.freed = true
	paint(r.b, v)
	for _, p := range r.spots {
		p.idle = v
	}
	return nil
}

// check checks the paint once more when the round is over.
func (r *behindRegion) check(what string) {
	r.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, p := range r.spots {
		if p.busy && !r.freed {
			continue // of a shared receive that no message has used
		}
		p.untouched("at the end, " + what)
	}
	r.guards(what)
	if r.freed {
		return
	}
	if err := r.mr.Close(); err != nil {
		r.Errorf("%s: %s: MR.Close: %v", r.name, what, err)
	}
}

// poisoned is the index of the first byte that came from a painted source, or -1.
func poisoned(b []byte) int { return bytes.IndexByte(b, behindPoison) }
