package hcatest

import (
	"runtime"
	"slices"
	"sync/atomic"
	"time"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/race"
)

// lastByteLast checks memory as programs do that poll no queue: when the last byte of a
// write has arrived, so have all others.
func lastByteLast(t *env) {
	switch {
	case t.h.UnorderedBytes:
		t.Logf("not checked: this device stores the bytes of a write in any order")
		return
	case race.Enabled:
		t.Logf("not checked: to look at memory while a peer writes is a data race in Go")
		return
	}
	const fpdu, most = 65000, 700001 // a large write is split
	c := t.pair()
	local, far := c.a.region(most, hca.LocalRead), c.b.region(most+64, c.b.all())
	lens := append([]int{1, 2, 7, 8, 9, 15, 33, 64, 65, 127, 200, 256, 257, 1000, 4096, 4097, 20000}, slices.Repeat([]int{fpdu}, 25)...)
	lens = append(lens, most, most, most, 90001, 90001, 90001) // the same places again have ways of their own
	deadline := time.Now().Add(t.h.patience())
	for round := range 20 * len(lens) {
		n, off, v := lens[round%len(lens)], round%64, byte(round%255+1)
		if n > fpdu {
			off = 0
		}
		paint(local.b[:n], v)
		paint(far.b, 0)
		done := start(func() error {
			c.a.do(write(far, off, local.seg(0, n)))
			return nil
		})
		place := far.b[off : off+n]
		for looks := 1; ; looks++ {
			there, missing := look(place, v)
			if there {
				if missing < 0 {
					missing = other(place, v)
				}
				if missing >= 0 {
					t.Errorf("a write of %d bytes at offset %d: the last byte was there, and byte %d was not", n, off, missing)
				}
				break
			}
			runtime.Gosched()
			if looks%(1<<16) == 0 && time.Now().After(deadline) {
				t.Fatalf("a write of %d bytes has not come after %v", n, t.h.patience())
			}
		}
		t.must("the write", t.result("the write", done))
	}
}

// look spins briefly on the last byte. When it is v, it samples the others at once, the
// first and then from the end backwards, and returns the index of one that is missing.
//
//go:noinline
func look(b []byte, v byte) (there bool, missing int) {
	end := len(b) - 1
	for range 1000 {
		if b[end] != v {
			continue
		}
		if runtime.GOARCH != "amd64" { // which never loads out of order
			new(atomic.Uint32).Add(1)
		}
		if b[0] != v {
			return true, 0
		}
		for i := end - 1; i >= 0; i -= 64 {
			if b[i] != v {
				return true, i
			}
		}
		return true, -1
	}
	return false, 0
}
