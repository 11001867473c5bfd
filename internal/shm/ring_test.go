package shm_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/godapl/godapl/internal/shm"
)

func newRing(t testing.TB, c shm.RingConfig) (*shm.Producer, *shm.Consumer, []byte) {
	t.Helper()
	mem := aligned(c.Bytes())
	p, err := shm.NewProducer(mem, c)
	if err != nil {
		t.Fatal(err)
	}
	r, err := shm.NewConsumer(mem, c)
	if err != nil {
		t.Fatal(err)
	}
	return p, r, mem
}

// aligned is n bytes that begin at a multiple of 64.
func aligned(n int) []byte {
	b := make([]byte, n+64)
	for off := range 64 {
		if isAligned(b[off:]) {
			return b[off : off+n : off+n]
		}
	}
	panic("no multiple of 64 among 64 addresses")
}

// TestRingKeepsOrder goes around many times, full and empty, with every length.
func TestRingKeepsOrder(t *testing.T) {
	c := shm.RingConfig{Slots: 8, SlotSize: 128}
	p, r, _ := newRing(t, c)
	rng := rand.New(rand.NewPCG(1, 2))
	var sent, got uint64
	data := func(n uint64) []byte { return bytes.Repeat([]byte{byte(n)}, int(n%uint64(c.Room()+1))) }
	buf := make([]byte, c.Room())
	full := 0
	for got < 10000 {
		for range rng.IntN(12) {
			ok, err := p.Push(shm.Entry{Kind: byte(sent), Flags: byte(sent >> 8)}, data(sent))
			if err != nil {
				t.Fatal(err)
			}
			if !ok {
				if full++; sent-got < uint64(c.Slots) && r.Unreleased() == 0 {
					t.Fatalf("full with %d of %d entries", sent-got, c.Slots)
				}
				break
			}
			sent++
		}
		for range rng.IntN(12) {
			ready := r.Ready()
			e, ok, err := r.Pop(buf)
			if err != nil || ok != ready || ok != (got < sent) {
				t.Fatalf("entry %d of %d: %v (ready %v), %v", got, sent, ok, ready, err)
			}
			if !ok {
				break
			}
			if e.Kind != byte(got) || e.Flags != byte(got>>8) || !bytes.Equal(buf[:e.Len], data(got)) {
				t.Fatalf("entry %d is %+v % x", got, e, buf[:e.Len])
			}
			got++
		}
		if rng.IntN(2) == 0 {
			r.Release()
			if r.Unreleased() != 0 {
				t.Fatal("released, and not")
			}
			if n, err := p.Released(); n != got || err != nil {
				t.Fatalf("%d entries released, %d were: %v", n, got, err)
			}
		}
	}
	if full == 0 {
		t.Error("the ring was never full")
	}
}

// TestRingBetweenGoroutines lets both ends run at once.
func TestRingBetweenGoroutines(t *testing.T) {
	const n = 200000
	c := shm.RingConfig{Slots: 16, SlotSize: 64}
	p, r, _ := newRing(t, c)
	var work sync.WaitGroup
	work.Go(func() {
		for i := uint64(0); i < n; {
			b, err := p.Reserve()
			if err != nil {
				t.Error(err)
				return
			}
			if b == nil {
				pause()
				continue
			}
			copy(b, fmt.Appendf(nil, "%d", i))
			p.Commit(shm.Entry{Len: len(fmt.Sprint(i))})
			i++
		}
	})
	buf := make([]byte, c.Room())
	for i := uint64(0); i < n; {
		e, ok, err := r.Pop(buf)
		if err != nil {
			t.Fatal(err)
		}
		if !ok {
			pause()
			continue
		}
		if string(buf[:e.Len]) != fmt.Sprint(i) {
			t.Fatalf("entry %d is %q", i, buf[:e.Len])
		}
		if i++; r.Unreleased() == 4 {
			r.Release()
		}
	}
	work.Wait()
}

// TestRingRefusesNonsense is damage with a purpose: each must be seen.
func TestRingRefusesNonsense(t *testing.T) {
	c := shm.RingConfig{Slots: 4, SlotSize: 128}
	const first = 192
	word := func(mem []byte, off int, v uint64) { shm.Word64(mem, off).Store(v) }
	for name, damage := range map[string]func(mem []byte){
		"a number too far":         func(mem []byte) { word(mem, first, 2) },
		"a number of the past":     func(mem []byte) { word(mem, first+128, 1<<32-1) },
		"longer than the slot":     func(mem []byte) { word(mem, first, 1|121<<32) },
		"as long as a length goes": func(mem []byte) { word(mem, first, 1|0xffff<<32) },
	} {
		p, r, mem := newRing(t, c)
		for range 2 {
			if ok, err := p.Push(shm.Entry{}, []byte("hello")); !ok || err != nil {
				t.Fatal(ok, err)
			}
		}
		damage(mem)
		var err error
		buf := make([]byte, c.Room())
		for range 3 {
			if _, _, e := r.Pop(buf); e != nil {
				err = e
			}
		}
		if !errors.Is(err, shm.ErrCorrupt) {
			t.Errorf("%s: %v", name, err)
		}
		if name == "a number of the past" && !r.Ready() {
			t.Errorf("%s: an error is something that is ready", name)
		}
	}
	for name, head := range map[string]uint64{"ahead": 3, "far ahead": 1 << 63, "backwards": 0, "below zero": 1<<64 - 1} {
		p, r, mem := newRing(t, c)
		buf := make([]byte, c.Room())
		for range 2 {
			p.Push(shm.Entry{}, nil)
		}
		r.Pop(buf)
		r.Release()
		if n, err := p.Released(); n != 1 || err != nil {
			t.Fatal(n, err)
		}
		word(mem, 0, head)
		if _, err := p.Released(); !errors.Is(err, shm.ErrCorrupt) {
			t.Errorf("%s: Released: %v", name, err)
		}
		if _, err := p.Room(); !errors.Is(err, shm.ErrCorrupt) {
			t.Errorf("%s: Room: %v", name, err)
		}
		if name == "ahead" {
			continue // it will be right one entry later
		}
		for range 3 { // as much as it knows to be free
			if ok, err := p.Push(shm.Entry{}, nil); !ok || err != nil {
				t.Fatal(ok, err)
			}
		}
		if ok, err := p.Push(shm.Entry{}, nil); ok || !errors.Is(err, shm.ErrCorrupt) {
			t.Errorf("%s: Push: %v %v", name, ok, err)
		}
	}
}

func TestRingShapes(t *testing.T) {
	mem := aligned(1 << 12)
	for _, c := range []shm.RingConfig{{}, {1, 64}, {3, 64}, {4, 63}, {4, 65}, {4, 0}, {-4, 64}, {4, 1 << 16}, {1 << 21, 64}, {64, 64}, {4, 1024}} {
		if _, err := shm.NewProducer(mem, c); !errors.Is(err, shm.ErrInvalid) {
			t.Errorf("%+v: %v", c, err)
		}
		if _, err := shm.NewConsumer(mem, c); !errors.Is(err, shm.ErrInvalid) {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

func TestRingAllocatesNothing(t *testing.T) {
	p, r, _ := newRing(t, shm.RingConfig{Slots: 4, SlotSize: 128})
	data, buf := make([]byte, 64), make([]byte, 120)
	if n := testing.AllocsPerRun(100, func() {
		p.Push(shm.Entry{Kind: 1}, data)
		r.Ready()
		r.Pop(buf)
		r.Release()
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkRing(b *testing.B) {
	p, r, _ := newRing(b, shm.RingConfig{Slots: 64, SlotSize: 128})
	data, buf := make([]byte, 64), make([]byte, 120)
	for b.Loop() {
		p.Push(shm.Entry{Kind: 1}, data)
		r.Pop(buf)
		r.Release()
	}
}
