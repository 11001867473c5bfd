package hcatest

import (
	"errors"
	"math/rand/v2"
	"time"

	"github.com/godapl/godapl/internal/hca"
)

// Kinds of requests. The upper half of a request's ID is its kind.
const (
	behindSend = iota
	behindWrite
	behindRead
	behindAtomic
	behindUnbind
)

// behindSide is one end of a connection.
type behindSide struct {
	*end
	round *behindRound
	peer  *behindSide
	box   *behindBox // takes its receives
	rng   *rand.Rand
	parks bool // it waits for entries, instead of polling for them
	most  int  // spots of a kind

	out, in, words *behindRegion // memory of its sends and writes, of its reads, and of its atomics
	far            *behindRegion // the peer writes to it
	source         *behindRegion // the peer reads from it
	mw             hca.MW        // the peer reads source through it; nil: through the region
	key            hca.Key       // the key with which the peer reads source

	count   *region // the peer's atomics count in it
	unbound chan hca.WC

	messages int // to the peer, so far
	under    int // requests in flight
}

func (b *behindRound) newSide(e *end) *behindSide {
	s := &behindSide{end: e, round: b, rng: b.fork(), parks: b.rng.IntN(2) == 0, most: 8}
	if b.size > 1<<20 {
		s.most = 2
	}
	s.out = s.spots(e.pd, 2*s.most, b.size, hca.LocalRead)
	s.in = s.spots(e.pd, s.most, b.size, e.sink())
	s.words = s.spots(e.pd, 2, 8, e.sink())
	s.far = s.spots(e.pd, s.most, b.size, e.all())
	s.source = s.spots(e.pd, 1, b.size, e.all())
	paint(s.source.b, behindSource)
	s.count = s.regionIn(e.pd, 8, e.all())
	s.key = s.source.mr.RKey()
	s.unbound = make(chan hca.WC, 1)
	return s
}

// run posts requests and takes their entries until the round is over.
func (s *behindSide) run() {
	posting := true
	var turn turns
	for last := time.Now(); posting || s.under > 0; {
		select {
		case <-s.round.over:
			posting = false
		default:
		}
		for range 4 {
			if posting {
				s.request()
			}
		}
		wcs := s.sq.poll(8)
		if len(wcs) == 0 && s.parks && posting && s.under > 0 {
			wc, ok, err := s.sq.waitOr(s.round.over)
			if err != nil {
				s.Errorf("%s: %v", s.name, err)
				return
			}
			if ok {
				wcs = append(wcs, wc)
			}
		}
		for _, wc := range wcs {
			s.complete(wc)
			last = time.Now()
		}
		if turn.next(); time.Since(last) > s.h.patience() {
			s.Errorf("%s: %d requests without an entry after %v", s.name, s.under, s.h.patience())
			return
		}
	}
}

// request posts a random request, if its spot is free.
func (s *behindSide) request() {
	kind, i := s.rng.IntN(behindUnbind), s.rng.IntN(s.most)
	var p *spot
	switch kind {
	case behindSend:
		p = s.out.spots[i]
	case behindWrite:
		p = s.out.spots[s.most+i]
	case behindRead:
		p = s.in.spots[i]
	case behindAtomic:
		i %= len(s.words.spots)
		p = s.words.spots[i]
	}
	if kind == behindSend && s.h.NoReceiveWait || kind == behindAtomic && !s.has(hca.CapAtomics) {
		return
	}
	p.r.mu.Lock()
	defer p.r.mu.Unlock()
	if p.busy {
		return
	}
	n, value := 1+s.rng.IntN(min(p.n, 1<<s.rng.IntN(22))), byte(0)
	switch kind {
	case behindAtomic:
		n = 8
	case behindSend:
		value = message(s.messages)
	case behindWrite:
		value = 1
	}
	was := *p
	p.take(n, value)
	wr := s.work(kind, i, p)
	wr.ID = uint64(kind)<<32 | uint64(i)
	switch err := s.qp.PostSend(wr); {
	case err == nil:
		s.under++
		if kind == behindSend {
			s.messages++
		}
		return
	case !errors.Is(err, hca.QueueFull) && !errors.Is(err, hca.State) && !errors.Is(err, hca.Closed):
		s.Errorf("%s: PostSend: %v", s.name, err)
	}
	p.busy, p.idle = false, 0
	if value == 0 {
		p.idle = was.idle
	}
}

// message is the value of the bytes of a side's message k.
func message(k int) byte { return byte(1 + k%80) }

// work is the request of a kind that uses the spot.
func (s *behindSide) work(kind, i int, p *spot) hca.SendWR {
	segs := p.cut(s.rng, s.sge)
	switch kind {
	case behindSend:
		return send(segs...)
	case behindWrite:
		return write(s.peer.far.region, s.peer.far.spots[i].off, segs...)
	case behindRead:
		if n := s.readSGE(); len(segs) > n {
			segs = []hca.Segment{p.r.seg(p.off, p.len)}
		}
		return via(read(s.peer.source.region, 0, segs...), s.peer.key)
	}
	return addWord(s.peer.count, 0, s.words.seg(p.off, 8), 1)
}
