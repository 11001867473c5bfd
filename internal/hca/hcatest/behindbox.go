package hcatest

import (
	"errors"

	"github.com/godapl/godapl/internal/hca"
)

const (
	behindDepth    = 32
	behindReceives = 8
)

// behindBox posts and takes the receives of one end, or of all ends that share a queue.
type behindBox struct {
	*side
	round *behindRound
	rq    *queue
	srq   hca.SRQ
	ends  map[any]*behindSide
	got   map[any]int // messages of each end, so far
	mem   *behindRegion
	parks bool
}

// connectAll makes the connections of a round. If there are several, the listener's
// ends share one receive queue.
func (b *behindRound) connectAll(conns int) {
	b.Helper()
	var shared *behindBox
	if conns > 1 {
		shared = b.box(b.fixture.b, b.fixture.b.queue(512))
		srq, err := b.fixture.b.pd.NewSRQ(hca.SRQConfig{Depth: behindReceives, MaxSGE: 1})
		b.must("NewSRQ", err)
		shared.srq = srq
	}
	for range conns {
		cfg := setup{send: behindDepth, recv: behindReceives, sge: 16}
		to := cfg
		if shared != nil {
			to.srq, to.rq = shared.srq, shared.rq
		}
		c := b.pair(cfg, to)
		for _, e := range c.ends() {
			s := b.newSide(e)
			if s.box = shared; shared == nil || e == c.a {
				s.box = b.box(e.side, e.rq)
			}
			s.box.ends[e] = s
			b.sides = append(b.sides, s)
		}
		n := len(b.sides)
		b.sides[n-2].peer, b.sides[n-1].peer = b.sides[n-1], b.sides[n-2]
		b.sides[n-1].lend()
	}
}

func (b *behindRound) box(s *side, rq *queue) *behindBox {
	b.Helper()
	x := &behindBox{side: s, round: b, rq: rq, ends: map[any]*behindSide{}, got: map[any]int{}}
	// A device to which no messages are sent has no entries to wait for.
	x.parks = b.rng.IntN(2) == 0 && !b.h.NoReceiveWait
	receives := behindReceives
	if b.size > 1<<20 {
		receives = 3
	}
	x.mem = s.spots(s.pd, receives, b.size, hca.LocalWrite)
	b.boxes = append(b.boxes, x)
	return x
}

// run posts receives and takes their entries until the round is over.
func (x *behindBox) run() {
	var turn turns
	for {
		select {
		case <-x.round.over:
			return
		default:
		}
		for i := range x.mem.spots {
			x.post(i)
		}
		if !x.parks {
			x.drain()
			turn.next()
			continue
		}
		wc, ok, err := x.rq.waitOr(x.round.over)
		if err != nil {
			x.Errorf("%s: %v", x.name, err)
			return
		}
		if ok {
			x.complete(wc)
		}
	}
}

// post posts a receive, if its spot is free.
func (x *behindBox) post(i int) {
	x.mem.mu.Lock()
	defer x.mem.mu.Unlock()
	p := x.mem.spots[i]
	if p.busy {
		return
	}
	p.take(p.n, 0)
	wr := hca.RecvWR{ID: uint64(i), Local: p.r.seg(p.off, p.n)}
	var err error
	if x.srq != nil {
		err = x.srq.PostRecv(wr)
	} else {
		for e := range x.ends {
			err = e.(*end).qp.PostRecv(wr)
		}
	}
	if err != nil {
		p.busy = false
		if !errors.Is(err, hca.QueueFull) && !errors.Is(err, hca.Closed) {
			x.Errorf("%s: PostRecv: %v", x.name, err)
		}
	}
}

// drain takes the available entries.
func (x *behindBox) drain() {
	for _, wc := range x.rq.drain() {
		x.complete(wc)
	}
}

// complete checks the bytes of a message and paints its memory.
func (x *behindBox) complete(wc hca.WC) {
	x.round.moved.Add(1)
	x.mem.mu.Lock()
	defer x.mem.mu.Unlock()
	p := x.mem.spots[wc.ID]
	if wc.Status == hca.StatusOK {
		k := x.got[wc.Owner]
		x.got[wc.Owner]++
		if b := p.bytes()[:wc.Len]; !x.mem.freed && other(b, message(k)) >= 0 {
			i := other(b, message(k))
			x.Errorf("%s: byte %d of the %d of message %d is %#x, not %#x (after its completion a source holds %#x)", x.name, i, wc.Len, k, b[i], message(k), behindPoison)
		}
	}
	p.done("a receive", behindPaint)
}

// check checks the memory once more when the round is over.
func (x *behindBox) check(what string) {
	x.Helper()
	x.drain()
	if x.srq != nil {
		x.must("SRQ.Close", x.srq.Close())
	}
	x.mem.check(what)
}
