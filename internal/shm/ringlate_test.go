package shm_test

import (
	"sync"
	"testing"

	"github.com/godapl/godapl/internal/shm"
)

// TestRingIsGivenBackInPart: the producer gets back the released part of the popped
// entries only.
func TestRingIsGivenBackInPart(t *testing.T) {
	c := shm.RingConfig{Slots: 4, SlotSize: 128}
	p, r, _ := newRing(t, c)
	buf := make([]byte, c.Room())
	for range 4 {
		if ok, err := p.Push(shm.Entry{Kind: 1}, []byte{1}); !ok || err != nil {
			t.Fatal(ok, err)
		}
		if _, ok, err := r.Pop(buf); !ok || err != nil {
			t.Fatal(ok, err)
		}
	}
	back := func(want uint64) {
		t.Helper()
		if n, err := p.Released(); n != want || err != nil {
			t.Fatalf("%d are given back, %v, want %d", n, err, want)
		}
	}
	if p.HeadMoved(0) {
		t.Fatal("the head has moved, and nothing was given back")
	}
	r.ReleaseTo(3) // the last one is still in use
	if !p.HeadMoved(0) || p.HeadMoved(3) {
		t.Fatal("it does not show that three were given back")
	}
	back(3)
	r.ReleaseConcurrently(2) // late
	back(3)
	r.ReleaseConcurrently(4)
	back(4)
	r.ReleaseTo(4)
	back(4)
	if r.Popped() != 4 {
		t.Fatalf("popped %d", r.Popped())
	}
}

// TestRingConcurrentRelease: with concurrent releases, the head that the
// producer sees never goes back.
func TestRingConcurrentRelease(t *testing.T) {
	c := shm.RingConfig{Slots: 8, SlotSize: 128}
	p, r, _ := newRing(t, c)
	const total = 20000
	popped := make(chan uint64, 64)
	var work sync.WaitGroup
	work.Go(func() {
		defer close(popped)
		buf := make([]byte, c.Room())
		for n := uint64(0); n < total; {
			if _, ok, err := r.Pop(buf); err != nil {
				t.Error(err)
				return
			} else if !ok {
				continue
			}
			n++
			select {
			case popped <- n:
			default:
			}
			r.ReleaseTo(n)
		}
	})
	work.Go(func() {
		for n := range popped {
			r.ReleaseConcurrently(n)
		}
	})
	for sent := 0; sent < total; {
		ok, err := p.Push(shm.Entry{Kind: 1}, []byte{1})
		if err != nil {
			t.Fatal(err) // it went back
		}
		if ok {
			sent++
		}
	}
	work.Wait()
	if n, err := p.Released(); n != total || err != nil {
		t.Fatalf("%d given back, %v", n, err)
	}
}
