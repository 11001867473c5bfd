package fuzz_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"testing"

	"github.com/godapl/godapl/internal/shm"
)

// The ring of this target, with guard memory around it.
var ringShape = shm.RingConfig{Slots: 4, SlotSize: 64}

const ringMargin = 128

// Steps of a script. Each is a byte, followed by what it needs.
const (
	ringPush     = iota // length of the data
	ringPop             //
	ringRelease         //
	ringScribble        // offset (2 bytes), then 8 bytes to write there
	ringSteps
)

// FuzzRing plays a script on both ends of a ring, and damages its memory between the
// steps. Without damage, popped data is the pushed data. After damage each end returns
// data or ErrCorrupt, and touches only its slots.
func FuzzRing(f *testing.F) {
	f.Add([]byte{ringPush, 5, ringPush, 56, ringPop, ringRelease, ringPop})
	f.Fuzz(func(t *testing.T, script []byte) { checkRing(t, script) })
}

func checkRing(t tester, script []byte) {
	backing := make([]byte, ringShape.Bytes()+3*ringMargin)
	start := ringMargin
	for !lineAligned(backing[start:]) {
		start++
	}
	end := start + ringShape.Bytes()
	for i := range backing {
		if i < start || i >= end {
			backing[i] = 0xa5
		}
	}
	mem := backing[start:end:end]
	g := &ringGame{t: t, mem: mem}
	g.p, _ = shm.NewProducer(mem, ringShape)
	g.c, _ = shm.NewConsumer(mem, ringShape)
	for len(script) > 0 {
		script = g.step(script)
	}
	for i, b := range backing {
		if b != 0xa5 && (i < start || i >= end) {
			t.Fatalf("byte %d beside the ring was written to", i-start)
		}
	}
}

type ringGame struct {
	t       tester
	mem     []byte
	p       *shm.Producer
	c       *shm.Consumer
	model   [][]byte // pushed and not popped
	held    int      // popped and not released
	damaged bool
	pushes  byte
}

func (g *ringGame) step(script []byte) []byte {
	kind, rest := script[0]%ringSteps, script[1:]
	switch kind {
	case ringPush:
		if len(rest) == 0 {
			return nil
		}
		g.push(int(rest[0]) % (ringShape.Room() + 1))
		return rest[1:]
	case ringPop:
		g.pop()
	case ringRelease:
		g.c.Release()
		g.held = 0
	case ringScribble:
		if len(rest) < 10 {
			return nil
		}
		copy(g.mem[int(binary.LittleEndian.Uint16(rest))%len(g.mem):], rest[2:10])
		g.damaged = true
		return rest[10:]
	}
	return rest
}

func (g *ringGame) push(n int) {
	g.pushes++
	data := bytes.Repeat([]byte{g.pushes}, n)
	ok, err := g.p.Push(shm.Entry{Kind: g.pushes, Flags: ^g.pushes}, data)
	switch {
	case err != nil && (ok || !g.damaged || !errors.Is(err, shm.ErrCorrupt)):
		g.t.Fatalf("push: %v, %v", ok, err)
	case !g.damaged && ok != (len(g.model)+g.held < ringShape.Slots):
		g.t.Fatalf("push: %v with %d and %d entries", ok, len(g.model), g.held)
	case ok:
		g.model = append(g.model, data)
	}
	room, err := g.p.Room()
	if (err != nil) && !errors.Is(err, shm.ErrCorrupt) || room < 0 || room > ringShape.Slots {
		g.t.Fatalf("room for %d, %v", room, err)
	}
}

func (g *ringGame) pop() {
	buf := bytes.Repeat([]byte{0x5a}, ringShape.Room()+8)
	ready := g.c.Ready()
	e, ok, err := g.c.Pop(buf[:ringShape.Room()])
	if ready != (ok || err != nil) {
		g.t.Fatalf("ready %v, pop %v, %v", ready, ok, err)
	}
	if err != nil {
		if ok || !g.damaged || !errors.Is(err, shm.ErrCorrupt) {
			g.t.Fatalf("pop: %v, %v", ok, err)
		}
		return
	}
	if e.Len < 0 || e.Len > ringShape.Room() || !bytes.Equal(buf[ringShape.Room():], bytes.Repeat([]byte{0x5a}, 8)) {
		g.t.Fatalf("pop: %d bytes in a slot with room for %d", e.Len, ringShape.Room())
	}
	if !g.damaged {
		if ok != (len(g.model) > 0) {
			g.t.Fatalf("pop: %v with %d entries", ok, len(g.model))
		}
		if ok && (!bytes.Equal(buf[:e.Len], g.model[0]) || e.Flags != ^e.Kind || e.Len > 0 && e.Kind != g.model[0][0]) {
			g.t.Fatalf("pop: %+v % x, want % x", e, buf[:e.Len], g.model[0])
		}
	}
	if ok {
		g.held++
		if len(g.model) > 0 {
			g.model = g.model[1:]
		}
	}
}

// seedsRing are damages to every word that an end reads, between good steps.
func seedsRing() (all []seed) {
	good := []byte{ringPush, 5, ringPush, 56, ringPop, ringRelease, ringPush, 0, ringPush, 9, ringPush, 1, ringPop, ringPop}
	after := []byte{ringPop, ringPush, 1, ringPop, ringRelease, ringPush, 1, ringPush, 1, ringPush, 1, ringPop, ringPop, ringPop, ringPop}
	const due = 192 + 3*64 // the slot of the entry that is popped next, the fourth
	all = append(all, seed{"undamaged", []any{append(append([]byte{}, good...), after...)}})
	for _, v := range []struct {
		name string
		at   uint16
		word uint64
	}{
		{"head_ahead", 0, 6}, {"head_back", 0, 0}, {"head_far", 0, 1 << 63}, {"head_wraps", 0, 1<<64 - 1},
		{"stamp_of_another_lap", due, 9}, {"stamp_zero", due, 0}, {"stamp_too_long", due, 4 | 57<<32}, {"stamp_longest", due, 4 | 0xffff<<32},
		{"stamp_kind", due, 4 | 0xabcd<<48}, {"data", due + 8, 0x0123456789abcdef}, {"bell", 64, 1<<64 - 1}, {"half_a_stamp", due - 4, 0xffffffff00000000},
	} {
		script := append(append([]byte{}, good...), ringScribble)
		script = binary.LittleEndian.AppendUint16(script, v.at)
		script = binary.LittleEndian.AppendUint64(script, v.word)
		all = append(all, seed{v.name, []any{append(script, after...)}})
	}
	return all
}
