package shm_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/godapl/godapl/internal/shm"
)

// Layout of the memory that the writer and the owner of these tests share.
const (
	atSlot       = 0
	atGeneration = 64
	atKnown      = 128 // the generation with which the writer may write
	atRegistered = 192
	atWrites     = 256
	atData       = 4096
	dataSize     = 4096
)

const theKey = 77

func init() {
	roles["writer"] = func() error { return writeUnder(shm.NewOrder(true)) }
	roles["fenced writer"] = func() error { return writeUnder(shm.Order{}) }
	roles["sticky writer"] = stayInside
}

// writeUnder writes wherever the generation allows it, again and again.
func writeUnder(o shm.Order) error {
	mem, err := shared()
	if err != nil {
		return err
	}
	done := untilEnd()
	slot, generation, known, writes := shm.SlotAt(mem, atSlot), shm.Word64(mem, atGeneration), shm.Word64(mem, atKnown), shm.Word64(mem, atWrites)
	if o.Asymmetric() {
		shm.Word64(mem, atRegistered).Store(1)
	} else {
		shm.Word64(mem, atRegistered).Store(2)
	}
	data := make([]byte, dataSize)
	for i := range data {
		data[i] = 0xee
	}
	for n := 0; !isDone(done); n++ {
		want := known.Load()
		for i := range 1000 {
			if slot.Enter(theKey, generation, want, o) {
				// The sizes differ, so that the owner revokes at different moments of a copy.
				shm.Copy(mem[atData:], data[:1+(i*37+n)%dataSize])
				slot.Leave()
				writes.Add(1)
			} else {
				want = known.Load()
			}
		}
	}
	return nil
}

// stayInside is a writer that stops in the middle of its copy.
func stayInside() error {
	mem, err := shared()
	if err != nil {
		return err
	}
	done := untilEnd()
	if !shm.SlotAt(mem, atSlot).Enter(theKey, shm.Word64(mem, atGeneration), 0, shm.Order{}) {
		return errors.New("could not enter")
	}
	shm.Word64(mem, atRegistered).Store(1)
	<-done
	return nil
}

func await(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); !ok(); pause() {
		if time.Now().After(end) {
			t.Fatalf("%s does not happen", what)
		}
	}
}

// TestNothingIsWrittenAfterQuiesce runs the race: another process writes as fast as it can,
// while the owner takes the memory back, checks that it does not change, and grants it again.
func TestNothingIsWrittenAfterQuiesce(t *testing.T) {
	for _, role := range []string{"writer", "fenced writer"} {
		t.Run(role, func(t *testing.T) {
			h := startRole(t, role, atData+dataSize)
			mem := h.seg.Bytes()
			registered := shm.Word64(mem, atRegistered)
			await(t, "the start of the writer", func() bool { return registered.Load() != 0 })
			o := shm.NewOrder(registered.Load() == 1)
			if role == "writer" && !o.Asymmetric() {
				t.Skip("the kernel has no expedited membarrier")
			}
			slot, generation, known, writes := shm.SlotAt(mem, atSlot), shm.Word64(mem, atGeneration), shm.Word64(mem, atKnown), shm.Word64(mem, atWrites)
			rounds := 4000
			if testing.Short() {
				rounds = 300
			}
			inside := 0
			for n := range rounds {
				before := writes.Load()
				if n%100 == 0 {
					await(t, "a write", func() bool { return writes.Load() > before })
				}
				for range n % 64 { // at any moment of the writer's
					shm.Pause()
				}
				generation.Add(1)
				if slot.Key() == theKey {
					inside++
				}
				if stuck, err := shm.Quiesce(t.Context(), o, theKey, []*shm.Slot{slot}); err != nil || stuck != nil {
					t.Fatal(stuck, err)
				}
				data := mem[atData : atData+dataSize]
				clear(data)
				for range 20 {
					for i := 0; i < len(data); i += 64 {
						if shm.Word64(data, i).Load() != 0 {
							t.Fatalf("round %d: byte %d was written to after the memory was taken back", n, i)
						}
					}
				}
				known.Store(generation.Load())
			}
			t.Logf("%d rounds, %d of them with the writer inside, %d writes", rounds, inside, writes.Load())
			if inside == 0 || writes.Load() == 0 {
				t.Error("the writer was never inside: nothing was tested")
			}
		})
	}
}

// TestQuiesceIsBounded: a peer that stopped inside is reported, others are not.
func TestQuiesceIsBounded(t *testing.T) {
	h := startRole(t, "sticky writer", atData)
	mem := h.seg.Bytes()
	await(t, "the writer's entering", func() bool { return shm.Word64(mem, atRegistered).Load() != 0 })
	free := aligned(64)
	other := aligned(64)
	shm.SlotAt(other, 0).Enter(theKey+1, shm.Word64(mem, atGeneration), 0, shm.Order{})
	slots := []*shm.Slot{shm.SlotAt(free, 0), shm.SlotAt(mem, atSlot), shm.SlotAt(other, 0)}
	shm.Word64(mem, atGeneration).Add(1)
	ctx, cancel := context.WithTimeoutCause(t.Context(), 50*time.Millisecond, errors.New("time is up"))
	defer cancel()
	stuck, err := shm.Quiesce(ctx, shm.Order{}, theKey, slots)
	wants(t, "Quiesce", err, shm.ErrStuck)
	if fmt.Sprint(stuck) != "[1]" {
		t.Errorf("slots %v are said to be stuck", stuck)
	}
	slots[1].Clear() // as after the end of its process
	if stuck, err := shm.Quiesce(t.Context(), shm.Order{}, theKey, slots); err != nil || stuck != nil {
		t.Error(stuck, err)
	}
}

// TestEnterSeesRevocation, with one goroutine.
func TestEnterSeesRevocation(t *testing.T) {
	mem := aligned(128)
	s, generation := shm.SlotAt(mem, 0), shm.Word64(mem, 64)
	for _, o := range []shm.Order{{}, shm.NewOrder(true)} {
		generation.Store(5)
		if !s.Enter(theKey, generation, 5, o) || s.Key() != theKey {
			t.Error("not inside")
		}
		s.Leave()
		if s.Key() != 0 {
			t.Error("still inside")
		}
		generation.Store(6)
		if s.Enter(theKey, generation, 5, o) || s.Key() != 0 {
			t.Error("entered what was revoked")
		}
	}
}

func BenchmarkSlot(b *testing.B) {
	mem := aligned(128)
	s, generation := shm.SlotAt(mem, 0), shm.Word64(mem, 64)
	for _, o := range []shm.Order{{}, shm.NewOrder(true)} {
		b.Run(fmt.Sprintf("asymmetric=%v", o.Asymmetric()), func(b *testing.B) {
			for b.Loop() {
				s.Enter(theKey, generation, 0, o)
				s.Leave()
			}
		})
	}
}

func BenchmarkQuiesce(b *testing.B) {
	mem := aligned(64)
	slots := []*shm.Slot{shm.SlotAt(mem, 0)}
	for _, o := range []shm.Order{{}, shm.NewOrder(true)} {
		b.Run(fmt.Sprintf("asymmetric=%v", o.Asymmetric()), func(b *testing.B) {
			for b.Loop() {
				shm.Quiesce(b.Context(), o, theKey, slots)
			}
		})
	}
}
