package main

import (
	"encoding/binary"
	"errors"
	"runtime"
	"sync/atomic"

	"github.com/godapl/godapl/rdma"
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

// await looks until the word is want.
func (a *active) await(word *atomic.Uint64, want uint64) error {
	for i := 1; word.Load() != want; i++ {
		if pause(); i%watchBurst == 0 {
			if a.shutting.Load() {
				return rdma.ErrClosed
			}
			if _, err := a.requests.Dispatcher().PollErr(nil); err != nil {
				return err
			}
			runtime.Gosched()
		}
	}
	return nil
}

// writeTrip writes, takes the completion, and waits for the other side's write.
func (a *active) writeTrip(e *rdma.Endpoint) error {
	at := a.cfg.Size - 8
	a.written++
	binary.NativeEndian.PutUint64(a.own.Bytes()[at:], a.written)
	if err := a.once(e); err != nil {
		return err
	}
	return a.await(wordAt(a.shared.Bytes(), at), a.written)
}

// watch answers the other side's writes as long as it is to.
func (p *passive) watch() error {
	p.looking.Lock()
	defer p.looking.Unlock()
	if !p.watching.Load() || p.shutting.Load() {
		return nil
	}
	at := p.cfg.Size - 8
	word, own := wordAt(p.shared.Bytes(), at), p.own.Bytes()
	for p.watching.Load() && !p.shutting.Load() {
		e := p.first.Load()
		for i := 0; i < watchBurst && e != nil; i++ {
			v := word.Load()
			if v == p.seen {
				pause()
				continue
			}
			p.seen = v
			binary.NativeEndian.PutUint64(own[at:], v)
			if err := p.answerWrite(e); err != nil {
				return err
			}
		}
		runtime.Gosched()
	}
	return nil
}

// answerWrite writes back and takes the completion.
func (p *passive) answerWrite(e *rdma.Endpoint) error {
	if p.back.Cookie == 0 {
		p.back = rdma.Write{From: p.own.Slice(0, p.cfg.Size), To: p.far.Load().Slice(0, p.cfg.Size), Cookie: 1}
	}
	err := e.PostWrite(p.back)
	for err == nil {
		var c [1]rdma.Completion
		n := 0
		if n, err = p.requests.Dispatcher().PollErr(c[:]); n > 0 {
			if c[0].Status == rdma.StatusFlushed {
				return nil
			}
			return c[0].Err()
		}
	}
	if errors.Is(err, rdma.ErrClosed) {
		return nil
	}
	return err
}
