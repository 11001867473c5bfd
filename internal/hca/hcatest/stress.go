package hcatest

import (
	"errors"
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
	{"Close", func(s *stressed) error { s.c.a.close(); return nil }},
	{"Close by both", func(s *stressed) error {
		other := start(func() error { s.c.b.close(); return nil })
		s.c.a.close()
		return <-other
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
		return s.c.a.insist(func() error { return s.c.a.qp.PostSend(wr) })
	}},
}

const (
	stressRounds  = 3 // of each ending
	stressPosters = 2 // of each side
	stressDepth   = 32
	stressLen     = 1 << 15

	strayID  = 1 << 60 // a request that no ledger knows
	markerID = 1 << 61 // the last request of a queue: no entry follows its entry
)

// stressed is one round: a pair, and the memory that each side reads and writes.
type stressed struct {
	c       *conn
	data    [2]stressData
	stop    atomic.Bool
	quit    chan struct{} // pollers take the available entries and leave
	moved   atomic.Int64
	markers atomic.Int64 // seen by the pollers
}

// stressData is the regions of one side. No two requests may access the same bytes at
// once, so each kind has its own region.
type stressData struct{ out, in, back, far, source, count *region }

func (d *stressData) all() []*region { return []*region{d.out, d.in, d.back, d.far, d.source, d.count} }

func stress(endings []stressEnd) func(t *env) {
	return func(t *env) {
		f := t.fixture(hca.Options{})
		for _, ending := range endings {
			if ending.name == "freed receive" && t.h.NoReceiveWait {
				t.Logf("not checked: %s: no messages are sent to this device here", ending.name)
				continue
			}
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
	s := &stressed{c: f.pair(setup{send: stressDepth, recv: stressDepth, entries: 4 * stressDepth}), quit: make(chan struct{})}
	for i, e := range s.c.ends() {
		s.data[i] = stressData{
			out: e.region(stressLen, hca.LocalRead), in: e.region(stressLen, hca.LocalWrite), back: e.region(stressLen, e.sink()),
			far: e.region(stressLen, e.all()), source: e.region(stressLen, e.all()), count: e.region(64, e.all()),
		}
	}
	var ledgers [2][2]*ledger // of each side: requests, receives
	var workers, pollers sync.WaitGroup
	over := sync.OnceFunc(func() {
		s.stop.Store(true)
		workers.Wait()
		close(s.quit)
		pollers.Wait()
	})
	defer over() // also when the case ends early
	for i, e := range s.c.ends() {
		sends, recvs := newLedger(e.name+" sends", stressPosters), newLedger(e.name+" receives", 1)
		ledgers[i] = [2]*ledger{sends, recvs}
		for p := range stressPosters {
			rng, windows := f.fork(), e.stressWindow()
			workers.Go(func() { s.poster(e, i, p, rng, sends, windows) })
		}
		rng := f.fork()
		workers.Go(func() { s.receiver(e, i, rng, recvs) })
		pollers.Go(func() { s.poller(e, e.sq, sends) })
		pollers.Go(func() { s.poller(e, e.rq, recvs) })
	}
	// The moment is counted in entries, so that it depends on nothing else.
	moment := int64(f.rng.IntN(400))
	var turn turns
	for end := time.Now().Add(f.h.patience()); s.moved.Load() < moment && !f.Failed(); turn.next() {
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
	workers.Wait() // nothing is posted any more
	for _, e := range s.c.ends() {
		if e.closed {
			continue // needs no marker; all its entries are there
		}
		err := e.insist(func() error { return e.qp.PostSend(hca.SendWR{Op: hca.OpSend, ID: markerID}) })
		err = errors.Join(err, e.insist(func() error { return e.qp.PostRecv(hca.RecvWR{ID: markerID}) }))
		if err != nil {
			f.Errorf("%s: marker: %v", ending.name, err)
		}
	}
	s.await()
	over()
	for i, e := range s.c.ends() {
		for _, l := range ledgers[i] {
			l.check(f.env, ending.name)
		}
		e.idle(ending.name)
		e.close()
		e.sq.empty(ending.name)
		e.rq.empty(ending.name)
		for _, r := range s.data[i].all() {
			r.guards(ending.name)
		}
	}
}

// insist posts until the queue has room.
func (e *end) insist(post func() error) error {
	var turn turns
	for end := time.Now().Add(e.h.patience()); ; turn.next() {
		if err := post(); !errors.Is(err, hca.QueueFull) || time.Now().After(end) {
			return err
		}
	}
}
