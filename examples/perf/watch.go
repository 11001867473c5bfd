package main

import (
	"encoding/binary"
	"errors"
	"runtime"
	"sync/atomic"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/event"
	"github.com/godapl/godapl/rdma/mem"
)

// Writes between two processes that share memory need not be announced: who waits
// for one looks at the word that is written last. In one process that would be a data
// race; here the other side is none that the race detector, or the compiler, knows of,
// and the word is loaded atomically.

// watches tells whether the latency of writes is taken in that way.
func (c *config) watches() bool {
	return c.Path == "shm" && c.Op == "write" && c.Mode == "poll" && c.API == "native" && c.Endpoints == 1 && c.Size%8 == 0
}

// watchBurst is how often a loop looks before it lets others run, and sees whether
// there is still somebody to wait for.
const watchBurst = 1 << 14

// A pingWord writes a word to the other side, and looks for the one that comes back. All
// it needs is at hand: where the processors pass a cache line on fast, what a turn takes
// is the instructions from the load of the one to the store of the other.
type pingWord struct {
	comes *atomic.Uint64
	goes  []byte
	e     *rdma.Endpoint
	d     *event.Dispatcher[rdma.Completion]
	write rdma.Write
	done  [1]rdma.Completion
}

func (s *side) newPingWord(e *rdma.Endpoint, far mem.Remote) *pingWord {
	at, n := s.cfg.Size-8, s.cfg.Size
	return &pingWord{
		comes: wordAt(s.shared.Bytes(), at), goes: s.own.Bytes()[at:n], e: e, d: s.requests.Dispatcher(),
		write: rdma.Write{From: s.own.Slice(0, n), To: far.Slice(0, n), Cookie: 1},
	}
}

// put writes, and takes the completion.
func (w *pingWord) put(v uint64) error {
	binary.NativeEndian.PutUint64(w.goes, v)
	err := w.e.PostWrite(w.write)
	for n := 0; n == 0 && err == nil; {
		n, err = w.d.PollErr(w.done[:])
	}
	return err
}

// writeTrip writes, takes the completion, and waits for the other side's write.
func (a *active) writeTrip(e *rdma.Endpoint) error {
	w := a.word
	if w == nil {
		w = a.newPingWord(e, a.far)
		a.word = w
	}
	a.written++
	if err := w.put(a.written); err != nil {
		return err
	}
	if w.done[0].Status != rdma.StatusOK {
		a.errors++
		return w.done[0].Err()
	}
	for {
		for range watchBurst {
			if w.comes.Load() == a.written {
				return nil
			}
			pause()
		}
		if a.shutting.Load() {
			return rdma.ErrClosed
		}
		if _, err := w.d.PollErr(nil); err != nil {
			return err
		}
		runtime.Gosched()
	}
}

// watch answers the other side's writes as long as it is to.
func (p *passive) watch() error {
	p.looking.Lock()
	defer p.looking.Unlock()
	var w *pingWord
	for p.watching.Load() && !p.shutting.Load() {
		if e := p.first.Load(); w == nil && e != nil {
			w = p.newPingWord(e, *p.far.Load())
		}
		if w != nil {
			if err := p.answerWrites(w); err != nil {
				return err
			}
		}
		runtime.Gosched()
	}
	return nil
}

// answerWrites writes back what comes, for a burst.
func (p *passive) answerWrites(w *pingWord) error {
	for range watchBurst {
		v := w.comes.Load()
		if v == p.seen {
			pause()
			continue
		}
		p.seen = v
		err := w.put(v)
		if errors.Is(err, rdma.ErrClosed) || err == nil && w.done[0].Status == rdma.StatusFlushed {
			return nil
		}
		if err == nil {
			err = w.done[0].Err()
		}
		if err != nil {
			return err
		}
	}
	return nil
}
