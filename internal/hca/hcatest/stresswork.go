package hcatest

import (
	"math/rand/v2"
	"time"

	"github.com/godapl/godapl/internal/hca"
)

// await waits until the pollers have seen the markers of both sides.
func (s *stressed) await() {
	s.c.Helper()
	want := int64(0)
	for _, e := range s.c.ends() {
		if !e.closed {
			want += 2
		}
	}
	var turn turns
	for end := time.Now().Add(s.c.h.patience()); s.markers.Load() < want; turn.next() {
		if time.Now().After(end) {
			s.c.Errorf("%d of %d markers after %v", s.markers.Load(), want, s.c.h.patience())
			return
		}
	}
}

// stressWindow is a window for one poster; nil if the adapter has none, or none that
// may be bound among messages.
func (e *end) stressWindow() hca.MW {
	e.Helper()
	if !e.can(hca.CapZoneWindows) || e.h.StallingBinds {
		return nil
	}
	return e.window(hca.ZoneWindow)
}

// poster posts random requests until the end.
func (s *stressed) poster(e *end, i, p int, rng *rand.Rand, l *ledger, mw hca.MW) {
	var turn turns
	for !s.stop.Load() {
		wr := s.work(e, i, p, rng, mw)
		if rng.IntN(3) == 0 {
			wr.Flags |= hca.Suppress
		}
		if rng.IntN(10) == 0 {
			wr.Flags |= hca.Fence
		}
		ok := l.post(p, wr.Flags, func(id uint64) error {
			wr.ID = id
			return e.qp.PostSend(wr)
		}, e)
		if !ok {
			turn.next()
		}
	}
}

// work is a random request.
func (s *stressed) work(e *end, i, p int, rng *rand.Rand, mw hca.MW) hca.SendWR {
	mine, theirs := &s.data[i], &s.data[1-i]
	n := rng.IntN(2000)
	if rng.IntN(8) == 0 {
		n = rng.IntN(stressLen)
	}
	switch k := rng.IntN(10); {
	case k < 3 && !s.c.h.NoReceiveWait:
		return send(mine.out.seg(0, n))
	case k < 5:
		return read(theirs.source, 0, mine.back.seg(0, n))
	case k == 5 && e.has(hca.CapWriteImm):
		return remote(hca.OpWriteImm, theirs.far, 0, mine.out.seg(0, n))
	case k == 6 && e.has(hca.CapAtomics):
		return addWord(theirs.count, 8*p, mine.count.seg(16+8*p, 8), 1)
	case k == 7 && mw != nil:
		wr := bindWR(mw, mine.source, 0, stressLen, hca.RemoteRead)
		wr.Bind.Len *= uint64(rng.IntN(2)) // or unbind
		return wr
	}
	return write(theirs.far, 0, mine.out.seg(0, n))
}

// receiver keeps receives posted until the end.
func (s *stressed) receiver(e *end, i int, rng *rand.Rand, l *ledger) {
	var turn turns
	for !s.stop.Load() {
		wr := hca.RecvWR{Local: s.data[i].in.seg(0, stressLen)}
		ok := l.post(0, 0, func(id uint64) error {
			wr.ID = id
			return e.qp.PostRecv(wr)
		}, e)
		if !ok || rng.IntN(4) == 0 {
			turn.next()
		}
	}
}

// poller takes the entries of one queue until it is told that all are there.
func (s *stressed) poller(e *end, q *queue, l *ledger) {
	for {
		wc, ok, err := q.waitOr(s.quit)
		if err != nil {
			e.Errorf("%s: %v", l.name, err)
			<-s.quit
			return
		}
		if !ok {
			return
		}
		s.moved.Add(1)
		switch wc.ID {
		case markerID:
			s.markers.Add(1)
		case strayID:
		default:
			l.complete(e.env, wc)
		}
	}
}
