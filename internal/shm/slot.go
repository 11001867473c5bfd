package shm

import (
	"context"
	"fmt"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/godapl/godapl/internal/fence"
)

// A Slot is where one side of a connection says which of the peer's keys it is
// inside of. It lies in shared memory, on a cache line of its own, and one
// goroutine at a time uses it. Keys are not 0.
//
// The protocol, and why nothing is written to memory that was taken back:
//
//	peer                               owner
//	Enter: slot = key                  generation changes
//	       fence (see Order)           fence or barrier
//	       load the generation         load the slot, until it is not the key
//	copy   (only if it is the one       the memory is the owner's alone
//	        that the peer knows)
//	Leave: slot = 0
//
// By the fences one of the two sees the other's store. If the owner sees the
// slot it waits, until the Leave whose store comes after all of the copy's. If it
// does not, the peer's load of the generation comes after its change, and the
// peer leaves without having touched anything. The
// copy between is at most [PieceSize] bytes, so a peer that runs leaves within
// microseconds.
type Slot struct {
	key atomic.Uint64
	_   [56]byte
}

// SlotSize is how many bytes of shared memory a slot takes, and what its offset is
// a multiple of.
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

// Leave empties the slot. What was done inside is visible to whoever sees that.
func (s *Slot) Leave() { fence.StoreRelease(&s.key, 0) }

// Inside is the key that the slot names now, 0 if none. It is the owner's, or
// anybody's, to ask.
func (s *Slot) Inside() uint64 { return s.key.Load() }

// Clear empties the slot of a peer that is no more.
func (s *Slot) Clear() { s.key.Store(0) }

// How a wait for a slot goes: polls of the processor first, then turns of the
// scheduler, then a timer.
const (
	slotPolls = 256
	slotTurns = 64
	slotRest  = 200 * time.Microsecond
)

// Quiesce returns when none of the slots names the key: nobody is inside, and
// nobody who uses [Slot.Enter] will be. The caller has changed the generation
// before, with an atomic operation. It calls the kernel once at most and
// waits only while somebody is inside. If the context ends before, it is
// ErrStuck, and the indices of the slots that are still named are returned: these peers
// are to be left, and the memory to be parted from them ([Detach]), or not
// to be used again.
func Quiesce(ctx context.Context, o Order, key uint64, slots []*Slot) (stuck []int, err error) {
	o.Slow()
	for i, s := range slots {
		if s.Inside() == key && !s.left(ctx, key) {
			stuck = append(stuck, i)
		}
	}
	if len(stuck) > 0 {
		return stuck, fail("take memory back", ErrStuck, fmt.Sprintf("%d of %d peers", len(stuck), len(slots)), context.Cause(ctx))
	}
	return nil, nil
}

// left waits until the slot does not name the key.
func (s *Slot) left(ctx context.Context, key uint64) bool {
	for range slotPolls {
		if s.Inside() != key {
			return true
		}
		Pause()
	}
	for range slotTurns {
		if s.Inside() != key {
			return true
		}
		runtime.Gosched()
	}
	rest := time.NewTicker(slotRest)
	defer rest.Stop()
	for s.Inside() == key {
		select {
		case <-rest.C:
		case <-ctx.Done():
			return s.Inside() != key
		}
	}
	return true
}
