package hcatest

import (
	"errors"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/godapl/godapl/internal/hca"
)

var stressCases = []Case{
	{"accounting", "every request completes exactly once, whenever and however it ends", stress(stressEnders)},
	{"accounting", "every request completes exactly once when something breaks", stress(stressBreakers)},
}

// stressEnd ends the connection of a stress round, at a random moment.
type stressEnd struct {
	name string
	end  func(s *stressed) error
}

var stressEnders = []stressEnd{
	{"graceful", func(s *stressed) error { return s.c.a.qp.Disconnect(true) }},
	{"graceful by both", func(s *stressed) error {
		other := start(func() error { return s.c.b.qp.Disconnect(true) })
		return errors.Join(s.c.a.qp.Disconnect(true), <-other)
	}},
	{"abrupt", func(s *stressed) error { return s.c.b.qp.Disconnect(false) }},
	{"abrupt by both", func(s *stressed) error {
		other := start(func() error { return s.c.b.qp.Disconnect(false) })
		return errors.Join(s.c.a.qp.Disconnect(false), <-other)
	}},
	{"graceful, then abrupt", func(s *stressed) error {
		return errors.Join(s.c.a.qp.Disconnect(true), s.c.a.qp.Disconnect(false))
	}},
}

var stressBreakers = []stressEnd{
	{"freed source", func(s *stressed) error { return s.data[0].out.mr.Close() }},
	{"freed target", func(s *stressed) error { return s.data[1].far.mr.Close() }},
	{"freed receive", func(s *stressed) error { return s.data[1].in.mr.Close() }},
	{"wrong key", func(s *stressed) error {
		wr := with(write(s.data[1].far, 0, s.data[0].out.seg(0, 8)), hca.Suppress)
		wr.RKey ^= 1
		wr.ID = strayID
		for end := time.Now().Add(s.c.h.patience()); ; runtime.Gosched() {
			err := s.c.a.qp.PostSend(wr)
			if !errors.Is(err, hca.QueueFull) || time.Now().After(end) {
				return err
			}
		}
	}},
}

// strayID is a request that no ledger knows.
const strayID = 1 << 60

const (
	stressRounds  = 4 // of each ending
	stressPosters = 2 // of each side
	stressDepth   = 32
	stressLen     = 1 << 15
)

// stressed is one round: a pair, and what each side reads and writes.
type stressed struct {
	c     *conn
	data  [2]stressData
	stop  atomic.Bool
	moved atomic.Int64
}

type stressData struct{ out, in, back, far, source *region }

func stress(endings []stressEnd) func(t *env) {
	return func(t *env) {
		f := t.fixture(hca.Options{})
		for _, ending := range endings {
			for range stressRounds {
				f.stressRound(ending)
				if t.Failed() {
					t.Fatalf("%s: seed %d", ending.name, seed())
				}
			}
		}
	}
}

func (f *fixture) stressRound(ending stressEnd) {
	f.Helper()
	deep := setup{send: stressDepth, recv: stressDepth, entries: 4 * stressDepth}
	s := &stressed{c: f.pair(deep)}
	var ledgers []*ledger
	var wg, pollers sync.WaitGroup
	for i, e := range s.c.ends() {
		s.data[i] = stressData{
			out: e.region(stressLen, hca.LocalRead), in: e.region(stressLen, hca.LocalWrite),
			back: e.region(stressLen, e.sink()), far: e.region(stressLen, e.all()), source: e.region(stressLen, e.all()),
		}
	}
	for i, e := range s.c.ends() {
		sends, recvs := newLedger(e.name+" sends", stressPosters), newLedger(e.name+" receives", 1)
		ledgers = append(ledgers, sends, recvs)
		for p := range stressPosters {
			rng := f.fork()
			wg.Go(func() { s.poster(e, i, p, rng, sends) })
		}
		rng := f.fork()
		wg.Go(func() { s.receiver(e, i, rng, recvs) })
		pollers.Go(func() { s.poller(e, e.sq, sends) })
		pollers.Go(func() { s.poller(e, e.rq, recvs) })
	}
	// The moment is counted in entries, so that it depends on nothing else.
	moment := int64(f.rng.IntN(400))
	for end := time.Now().Add(f.h.patience()); s.moved.Load() < moment && !f.Failed(); runtime.Gosched() {
		if time.Now().After(end) {
			f.Errorf("%s: %d entries after %v", ending.name, s.moved.Load(), f.h.patience())
		}
	}
	if err := ending.end(s); err != nil {
		f.Errorf("%s: %v", ending.name, err)
	}
	s.c.a.ev.end(ending.name)
	s.c.b.ev.end(ending.name)
	s.stop.Store(true)
	wg.Wait() // nothing is posted any more
	for i := range ledgers {
		if err := s.c.ends()[i/2].awake(i%2 == 1); err != nil {
			f.Errorf("marker: %v", err)
		}
	}
	pollers.Wait()
	for _, l := range ledgers {
		l.check(f.env, ending.name)
	}
	for _, e := range s.c.ends() {
		e.idle(ending.name)
	}
	s.c.close()
	for i, e := range s.c.ends() {
		e.sq.empty(ending.name)
		e.rq.empty(ending.name)
		for _, r := range []*region{s.data[i].out, s.data[i].in, s.data[i].back, s.data[i].far, s.data[i].source} {
			r.guards(ending.name)
			r.mr.Close()
		}
	}
}

// markerID is the last request of a queue: behind its entry comes none.
const markerID = 1 << 61

// awake posts the marker, which is flushed at once.
func (e *end) awake(recv bool) error {
	for end := time.Now().Add(e.h.patience()); ; runtime.Gosched() {
		var err error
		if recv {
			err = e.qp.PostRecv(hca.RecvWR{ID: markerID})
		} else {
			err = e.qp.PostSend(hca.SendWR{Op: hca.OpSend, ID: markerID})
		}
		if !errors.Is(err, hca.QueueFull) || time.Now().After(end) {
			return err
		}
	}
}

// poster posts random requests until the end.
func (s *stressed) poster(e *end, i, p int, rng *rand.Rand, l *ledger) {
	mine, theirs := s.data[i], s.data[1-i]
	for !s.stop.Load() {
		n := rng.IntN(2000)
		if rng.IntN(8) == 0 {
			n = rng.IntN(stressLen)
		}
		wr := write(theirs.far, 0, mine.out.seg(0, n))
		switch rng.IntN(5) {
		case 0, 1:
			wr = send(mine.out.seg(0, n))
		case 2:
			wr = read(theirs.source, 0, mine.back.seg(0, n))
		}
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
			runtime.Gosched()
		}
	}
}

// receiver keeps receives posted until the end.
func (s *stressed) receiver(e *end, i int, rng *rand.Rand, l *ledger) {
	for !s.stop.Load() {
		wr := hca.RecvWR{Local: s.data[i].in.seg(0, stressLen)}
		ok := l.post(0, 0, func(id uint64) error {
			wr.ID = id
			return e.qp.PostRecv(wr)
		}, e)
		if !ok || rng.IntN(4) == 0 {
			runtime.Gosched()
		}
	}
}

// poller takes the entries of one queue until its marker.
func (s *stressed) poller(e *end, q *queue, l *ledger) {
	for {
		wc, err := q.wait()
		if err != nil {
			e.Errorf("%s: %v", l.name, err)
			return
		}
		s.moved.Add(1)
		if wc.ID == markerID {
			return
		}
		if wc.ID != strayID {
			l.complete(e.env, wc)
		}
	}
}
