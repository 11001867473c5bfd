package perf

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
)

// wantsEvents reports whether two bare eventfds are to be compared with.
func (c *config) wantsEvents() bool { return c.Vs == "raw" && c.Path == "shm" || c.Vs == "eventfd" }

// eventBytes is how much the two sides of the eventfds exchange: with -vs eventfd
// messages, each copied into shared memory and out of it.
func (c *config) eventBytes() int {
	if c.Vs == "eventfd" {
		return c.Size
	}
	return 0
}

// The descriptors of the second process: its own eventfd, that of the first process,
// and the memory that both share.
const eventMine, eventTheirs, eventMemory = 3, 4, 5

func (e *events) close() { closeFiles([]*os.File{e.mine, e.theirs}) }

// wake and sleep are a message and its arrival.
func (e *events) wake() error {
	copy(e.out, e.message)
	binary.NativeEndian.PutUint64(e.word[:], 1)
	_, err := e.theirs.Write(e.word[:])
	return err
}

func (e *events) sleep() error {
	_, err := e.mine.Read(e.word[:])
	if err == nil {
		copy(e.message, e.in)
	}
	return err
}

// serveEvents answers until the adapter closes. Once it has begun it continues.
func (p *passive) serveEvents() error {
	if p.answering {
		return nil
	}
	if !p.cfg.wantsEvents() { // these descriptors are something else
		return errors.New("this side has no eventfds")
	}
	e, err := adopt(eventMine, eventTheirs, eventMemory, p.cfg.eventBytes(), 1)
	if err != nil {
		return err
	}
	p.answering = true
	p.ending(e.close)
	p.work.Go(func() {
		for {
			err := e.sleep()
			if err == nil {
				err = e.wake()
			}
			if errors.Is(err, os.ErrClosed) {
				return
			}
			if err != nil {
				p.failed(fmt.Errorf("raw event: %w", err))
				return
			}
		}
	})
	return nil
}

// openEvents has the other side answer.
func (a *active) openEvents(do string) (pingPong, error) {
	p, ok := a.peer.(*peerProcess)
	if !ok || p.events == nil {
		return nil, errors.New("the other side has no eventfds")
	}
	_, err := a.peer.do(command{Do: do})
	return eventPing{p.events}, err
}

// eventPing wakes the other side, and sleeps. The files stay open for the next round.
type eventPing struct{ *events }

func (e eventPing) once() error  { return errors.Join(e.wake(), e.sleep()) }
func (e eventPing) close() error { return nil }

// rawEvents is the median of the latency, one way, of a wake-up.
func (a *active) rawEvents() (float64, error) {
	p, err := a.openEvents("raw event")
	if err != nil {
		return 0, err
	}
	h := newHistogram()
	for _, l := range []limit{a.cfg.limit().part(10), a.cfg.limit()} {
		h.Reset()
		if err := l.times(h, tripsTimed, p.once); err != nil {
			return 0, err
		}
	}
	return typical(h) / 2, nil
}
