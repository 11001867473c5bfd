package main

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"time"
)

// wantsEvents tells whether two bare eventfds are to be compared with.
func (c *config) wantsEvents() bool { return c.Vs == "raw" && c.Path == "shm" }

// The descriptors of the second process: its own eventfd, and that of the first
// process.
const eventMine, eventTheirs = 3, 4

func (e *events) close() { closeFiles([]*os.File{e.mine, e.theirs}) }

// wake and sleep are a message and its arrival.
func (e *events) wake() error {
	binary.NativeEndian.PutUint64(e.word[:], 1)
	_, err := e.theirs.Write(e.word[:])
	return err
}

func (e *events) sleep() error {
	_, err := e.mine.Read(e.word[:])
	return err
}

// serveEvents answers until the adapter closes. Once begun it goes on.
func (p *passive) serveEvents() error {
	if p.answering {
		return nil
	}
	e, err := adopt(eventMine, eventTheirs)
	if err != nil {
		return err
	}
	p.answering = true
	p.mu.Lock()
	p.raws = append(p.raws, e.close)
	p.mu.Unlock()
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

// rawEvents is the median of the latency, one way, of a wake-up.
func (a *active) rawEvents() (float64, error) {
	p, ok := a.peer.(*peerProcess)
	if !ok || p.events == nil {
		return 0, errors.New("the other side has no eventfds")
	}
	if _, err := a.peer.do(command{Do: "raw event"}); err != nil {
		return 0, err
	}
	h := newHistogram()
	for _, l := range []limit{a.cfg.limit().part(10), a.cfg.limit()} {
		h.Reset()
		n, over, stop := l.begin()
		defer stop()
		for i := int64(0); i < n && !over.Load(); i++ {
			began := time.Now()
			if err := errors.Join(p.events.wake(), p.events.sleep()); err != nil {
				return 0, err
			}
			if err := h.RecordValue(int64(time.Since(began))); err != nil {
				return 0, err
			}
		}
	}
	return float64(h.ValueAtQuantile(50)) / 2, nil
}
