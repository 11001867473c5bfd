package rdmatest

import (
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/godapl/godapl/internal/hca"
)

// looking is a source of random numbers that looks at something before each.
type looking struct{ look func() }

func (l looking) Uint64() uint64 { l.look(); return 0 }

// bookedPair is a queue pair with books over an adapter, with a peer of its own.
func bookedPair(w *World, over hca.QP) *worldQP {
	a := &worldAdapter{h: &Host{w: w, name: "h"}, regions: map[hca.Key]hca.Memory{}, at: map[hca.Key]uint64{}}
	return &worldQP{QP: over, a: a, peer: &worldQP{a: a}}
}

// TestFatesAreDrawnWithoutTheBooks: a connection that is established holds the lock of the world when it takes that of
// the books.
func TestFatesAreDrawnWithoutTheBooks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := NewWorld(t, 1)
		q := bookedPair(w, below{})
		drawn := 0
		w.fates = rand.New(looking{func() {
			drawn++
			if !q.mu.TryLock() {
				t.Error("the books are locked while a fate is drawn")
				return
			}
			q.mu.Unlock()
		}})
		w.Fail(hca.OpRecv, hca.StatusTransport, Chance(0.5))
		w.Fail(hca.OpSend, hca.StatusTransport, Chance(0.5))
		must1(t, q.PostRecv(hca.RecvWR{}))
		must1(t, q.PostSend(hca.SendWR{Op: hca.OpSend}))
		if drawn != 2 {
			t.Errorf("%d fates were drawn", drawn)
		}
	})
}

// TestMeetingAndPosting at the same time, each of which takes both locks. Messages wait for receives, which is counted.
func TestMeetingAndPosting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := NewWorld(t, 1)
		q := bookedPair(w, below{})
		q.peer.outbox.put(message{})
		w.streams["here"], w.pairs["here"] = &stream{}, q.peer
		w.Fail(hca.OpRecv, hca.StatusTransport, Chance(0.001))
		const n = 20_000
		var all sync.WaitGroup
		all.Go(func() {
			for range n {
				q.meet(&hca.ConnInfo{Local: "here"})
			}
		})
		all.Go(func() {
			for range n {
				must1(t, q.PostRecv(hca.RecvWR{}))
				q.mu.Lock()
				q.recvs = nil
				q.mu.Unlock()
			}
		})
		all.Wait()
		if w.Fired()["receive missing"] != n {
			t.Errorf("%d posts counted %v", n, w.Fired())
		}
	})
}

// picky is an adapter that refuses posts behind the first few.
type picky struct {
	below
	takes int
	went  []hca.SendWR
}

func (p *picky) take(n int) (int, error) {
	k := min(n, p.takes)
	if p.takes -= k; k < n {
		return k, hca.QueueFull
	}
	return k, nil
}

func (p *picky) PostSend(wr hca.SendWR) error {
	_, err := p.PostSends([]hca.SendWR{wr})
	return err
}

func (p *picky) PostSends(wrs []hca.SendWR) (int, error) {
	n, err := p.take(len(wrs))
	p.went = append(p.went, wrs[:n]...)
	return n, err
}

func (p *picky) PostRecvs(wrs []hca.RecvWR) (int, error) { return p.take(len(wrs)) }

// TestARefusedPostHasNoFate: the n-th that the adapter takes fails, and what is behind a post that was refused
// is suppressed as ever.
func TestARefusedPostHasNoFate(t *testing.T) {
	quiet := hca.SendWR{ID: 70, Op: hca.OpSend, Flags: hca.Suppress}
	synctest.Test(t, func(t *testing.T) {
		w := NewWorld(t, 1)
		over := &picky{takes: 1}
		q := bookedPair(w, over)
		w.Fail(hca.OpSend, hca.StatusTransport, Nth(3))
		for _, post := range []func() (int, error){
			func() (int, error) { return q.PostSends([]hca.SendWR{quiet, quiet, quiet}) }, // one of three goes
			func() (int, error) { return 1, q.PostSend(quiet) },
		} {
			if n, err := post(); err == nil || n != 1 {
				t.Errorf("%d posts went, with %v", n, err)
			}
		}
		over.takes = 3
		for range 3 { // the second, the third and the fourth
			must1(t, q.PostSend(quiet))
		}
		for i, want := range []hca.Flags{hca.Suppress, hca.Suppress, 0, 0} {
			if over.went[i].Flags != want {
				t.Errorf("post %d went with flags %x", i, over.went[i].Flags)
			}
		}
		if n := w.Fired()["fail send"]; n != 0 {
			t.Errorf("it fired %d times, and nothing has completed", n)
		}
		for i, want := range []hca.Status{2: hca.StatusTransport, 3: hca.StatusFlushed} {
			wc := hca.WC{ID: over.went[i].ID, Op: hca.OpSend}
			if i < 2 {
				continue
			}
			if q.complete(&wc); wc.Status != want || wc.ID != 70 {
				t.Errorf("post %d completed with %v", i, wc.Status)
			}
		}
		if n := w.Fired()["fail send"]; n != 1 {
			t.Errorf("it fired %d times", n)
		}
	})
}

// TestARefusedReceiveHasNoFate: as posts.
func TestARefusedReceiveHasNoFate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := NewWorld(t, 1)
		over := &picky{takes: 1}
		q := bookedPair(w, over)
		w.Fail(hca.OpRecv, hca.StatusLocalLength, Nth(2))
		if n, err := q.PostRecvs(make([]hca.RecvWR, 3)); n != 1 || err == nil {
			t.Errorf("%d receives were posted, with %v", n, err)
		}
		over.takes = 2
		for range 2 {
			must1(t, q.PostRecv(hca.RecvWR{}))
		}
		for i, want := range []hca.Status{hca.StatusOK, hca.StatusLocalLength, hca.StatusFlushed} {
			q.peer.outbox.put(message{op: hca.OpRecv})
			wc := hca.WC{ID: q.recvs[0].serial, Op: hca.OpRecv}
			if q.complete(&wc); wc.Status != want {
				t.Errorf("receive %d completed with %v", i, wc.Status)
			}
		}
		if n := w.Fired()["fail receive"]; n != 1 {
			t.Errorf("it fired %d times", n)
		}
	})
}

// TestEachFailCounts: the n-th post from a call of Fail on is the n-th, also if an earlier one has failed by another call.
func TestEachFailCounts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := NewWorld(t, 1)
		w.Fail(hca.OpSend, hca.StatusTransport, Nth(1))
		w.Fail(hca.OpSend, hca.StatusFlushed, Nth(2))
		w.Fail(hca.OpSend, hca.StatusRemoteAccess, Nth(2)) // takes the next
		for i, want := range []hca.Status{hca.StatusTransport, hca.StatusFlushed, hca.StatusRemoteAccess, hca.StatusOK} {
			got := hca.StatusOK
			if f := w.fate(hca.OpSend).by; f != nil {
				got = f.status
			}
			if got != want {
				t.Errorf("post %d: %v, want %v", i+1, got, want)
			}
		}
	})
}

// TestSeedsOfTheEnvironment: what is no number is an error, and no test passes without a world.
func TestSeedsOfTheEnvironment(t *testing.T) {
	for _, c := range []struct {
		seed, seeds string
		first       uint64
		n           int
	}{
		{"", "", 1, 7}, {"17", "", 17, 1}, {"", "3", 1, 3}, {"17", "3", 17, 3},
		{"0x11", "", 0, 0}, {"-1", "", 0, 0}, {"", "0", 0, 0}, {"", "-5", 0, 0}, {"", "many", 0, 0}, {"17", "0", 0, 0},
	} {
		t.Setenv(seedVariable, c.seed)
		t.Setenv(seedsVariable, c.seeds)
		first, n, err := seeds(7)
		if first != c.first || n != c.n || (err == nil) != (c.n > 0) {
			t.Errorf("seed %q, seeds %q: %d from %d, %v", c.seed, c.seeds, n, first, err)
		}
	}
}
