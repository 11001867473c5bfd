package hcatest

import (
	"math/rand/v2"
	"slices"

	"github.com/godapl/godapl/internal/hca"
)

// complete checks the result of an operation and paints its memory.
func (s *behindSide) complete(wc hca.WC) {
	s.round.moved.Add(1)
	kind, i := int(wc.ID>>32), int(uint32(wc.ID))
	if kind == behindUnbind {
		s.unbound <- wc
		return
	}
	s.under--
	var p *spot
	what, v := "a request", byte(behindPoison)
	switch kind {
	case behindSend:
		p = s.out.spots[i]
	case behindWrite:
		p = s.out.spots[s.most+i]
	case behindRead:
		p, what, v = s.in.spots[i], "a read", behindPaint
	case behindAtomic:
		p, what, v = s.words.spots[i], "an atomic", behindPaint
	}
	p.r.mu.Lock()
	defer p.r.mu.Unlock()
	if kind == behindRead && wc.Status == hca.StatusOK && !p.r.freed && !s.h.LooseRevocation && !s.h.LooseWindows {
		if i := other(p.bytes()[:p.len], behindSource); i >= 0 {
			s.Errorf("%s: byte %d of the %d of a read is %#x, not %#x", s.name, i, p.len, p.bytes()[i], behindSource)
		}
	}
	p.done(what, v)
}

// lend binds a window to the memory that the peer reads. From then on the peer reads through it.
func (s *behindSide) lend() {
	if !s.can(hca.CapZoneWindows) {
		return
	}
	s.mw = s.window(hca.ZoneWindow)
	s.key = s.bind(s.mw, s.source.region, 0, len(s.source.b), hca.RemoteRead)
}

// closeWindow closes the window, and paints the memory that it covered.
func (s *behindSide) closeWindow() error {
	if s.mw == nil {
		return s.qp.Disconnect(false)
	}
	if err := s.mw.Close(); err != nil {
		return err
	}
	s.mw = nil
	s.poison()
	return nil
}

// unbind posts a request that unbinds the window, and paints the memory that it covered.
func (s *behindSide) unbind() error {
	if s.mw == nil {
		return s.qp.Disconnect(false)
	}
	err := s.insist(func() error {
		return s.qp.PostSend(hca.SendWR{Op: hca.OpBind, ID: behindUnbind << 32, Bind: &hca.Bind{MW: s.mw}})
	})
	if err == nil && await(s.env, "the entry of an unbind", s.unbound).Status == hca.StatusOK {
		s.poison()
	}
	return err
}

func (s *behindSide) poison() {
	s.source.mu.Lock()
	defer s.source.mu.Unlock()
	paint(s.source.b, behindPoison)
}

// check checks all memory of the side once more when the round is over.
func (s *behindSide) check(what string) {
	s.Helper()
	if s.mw != nil {
		s.must("MW.Close", s.mw.Close())
	}
	for _, r := range []*behindRegion{s.out, s.in, s.words, s.far, s.source} {
		r.check(what)
	}
	// A device that still reads a region when it has been freed sends the paint that the region got then.
	loose := s.h.LooseRevocation && slices.ContainsFunc(s.round.sides, func(o *behindSide) bool { return o.out.freed })
	if i := poisoned(s.far.b); i >= 0 && !s.far.freed && !loose {
		s.Errorf("%s: %s: byte %d has the paint that its source got after the completion", s.name, what, i)
	}
}

// cut is the spot's bytes in up to most segments.
func (p *spot) cut(rng *rand.Rand, most int) []hca.Segment {
	off, left := p.off, p.len
	var segs []hca.Segment
	for k := 1 + rng.IntN(most); k > 1 && left > 1; k-- {
		n := 1 + rng.IntN(max(1, min(left-1, 2*left/k)))
		segs = append(segs, p.r.seg(off, n))
		off, left = off+n, left-n
	}
	return append(segs, p.r.seg(off, left))
}
