package shm

import (
	"context"
	"fmt"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/godapl/godapl/internal/fence"
)

// A Slot is a hazard pointer: in it, one side of a connection announces which of the peer's
// keys it is using. It lies in shared memory, on a cache line of its own; one goroutine at a
// time uses it. Keys are not 0.
//
// The protocol ensures that nothing is written to memory that was taken back:
//
//	peer                               owner
//	Enter: slot = key                  change the generation
//	       fence (see Order)           fence or barrier
//	       load the generation         load the slot until it is not the key
//	copy   (only if the generation      the memory is the owner's alone
//	        is the known one)
//	Leave: slot = 0
//
// Because of the fences, one of the two sees the other's store. If the owner sees the
// key in the slot, it waits for Leave, whose store follows all stores of the copy. If
// it does not, the peer loads the generation after its change, and leaves without
// touching the memory. The copy is at most [PieceSize] bytes, so a running peer leaves
// within microseconds.
type Slot struct {
	key atomic.Uint64
	_   [56]byte
}

// SlotSize is the size of a slot in shared memory and the alignment of its offset, in
// bytes.
const SlotSize = 64

// Enter names the key and reports whether its generation is still want. If not,
// the slot is empty again and the memory must not be touched.
func (s *Slot) Enter(key uint64, generation *atomic.Uint64, want uint64, o Order) bool {
	storeBefore(&s.key, key)
	o.fast()
	if generation.Load() == want {
		return true
	}
	s.Leave()
	return false
}

// Leave empties the slot. A reader that sees this also sees what was done inside.
func (s *Slot) Leave() { fence.StoreRelease(&s.key, 0) }

// Key returns the key that the slot holds now, 0 if none. Any goroutine of the process that
// owns the memory may call it.
func (s *Slot) Key() uint64 { return s.key.Load() }

// Clear empties the slot of a peer whose process has ended.
func (s *Slot) Clear() { s.key.Store(0) }

// The phases of a wait for a slot: polls, then yields to the scheduler, then sleeps.
const (
	slotPolls = 256
	slotTurns = 64
	slotRest  = 200 * time.Microsecond
)

// Quiesce returns when none of the slots holds the key: no peer is inside, and none
// that uses [Slot.Enter] will be. The caller has changed the generation before, with an
// atomic operation. Quiesce calls the kernel at most once, and waits only while a peer
// is inside. If the context ends before, Quiesce returns ErrStuck and the indices of
// the slots that still hold the key: end the connections to these peers, and separate
// the memory from them ([Detach]) or never use it again.
func Quiesce(ctx context.Context, o Order, key uint64, slots []*Slot) (stuck []int, err error) {
	o.Slow()
	for i, s := range slots {
		if s.Key() == key && !s.left(ctx, key) {
			stuck = append(stuck, i)
		}
	}
	if len(stuck) > 0 {
		return stuck, fail("take memory back", ErrStuck, fmt.Sprintf("%d of %d peers", len(stuck), len(slots)), context.Cause(ctx))
	}
	return nil, nil
}

// left waits until the slot does not hold the key.
func (s *Slot) left(ctx context.Context, key uint64) bool {
	for range slotPolls {
		if s.Key() != key {
			return true
		}
		Pause()
	}
	for range slotTurns {
		if s.Key() != key {
			return true
		}
		runtime.Gosched()
	}
	rest := time.NewTicker(slotRest)
	defer rest.Stop()
	for s.Key() == key {
		select {
		case <-rest.C:
		case <-ctx.Done():
			return s.Key() != key
		}
	}
	return true
}
