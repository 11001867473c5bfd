package perf

import (
	"errors"
	"runtime"

	"github.com/godapl/godapl/rdma"
)

// Writes between two processes that share memory need no notification: the waiting side
// polls the word that is written last. Within one process that would be a data race.
// Here neither the race detector nor the compiler sees the other side, and the word is
// loaded atomically.

// watches reports whether the latency of writes is taken in that way.
func (c *config) watches() bool {
	return c.Path == "shm" && c.Op == "write" && c.Mode == "poll" && c.API == "native" && c.Endpoints == 1 && c.Size%8 == 0
}

// watchBurst is the number of looks after which a loop yields, and checks whether the wait
// has ended.
const watchBurst = 1 << 14

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
		for i := range watchBurst {
			if w.comes.Load() == a.written {
				w.found(i)
				return nil
			}
			pause()
		}
		if a.shutting.Load() {
			return rdma.ErrClosed
		}
		if err := w.d.Err(); err != nil {
			return err
		}
		runtime.Gosched()
	}
}

// watch answers the other side's writes while watching is set.
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

// answerWrites echoes written words, for a burst.
func (p *passive) answerWrites(w *pingWord) error {
	vain := 0
	for range watchBurst {
		v := w.comes.Load()
		if v == p.seen {
			pause()
			vain++
			continue
		}
		w.found(vain)
		vain = 0
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
