package sharedmem

import (
	"sync/atomic"

	"github.com/godapl/godapl/internal/shm"
)

// The memory of a connection: a page of words, then for either side a ring of
// requests with the area for what does not fit into its slots, then the same for
// answers. Side 0 dialled, side 1 listened. A side writes to its own rings, its
// own words and nowhere else.
const (
	pageSize   = 4096
	slotSize   = 128
	slotInline = 120 // bytes of a slot that are the message's
	bulkSize   = 64 << 10
	chunkSize  = 16 << 10 // so much of a message goes through the bulk area at once

	// Offsets of words in the page; sides are lineSize apart.
	bellsAt       = 0
	closeStatusAt = 256
	hazardsAt     = 512 // two a side: of its sending and of its receiving half
	lineSize      = 128
)

var (
	requestRing = shm.RingConfig{Slots: 128, SlotSize: slotSize}
	answerRing  = shm.RingConfig{Slots: 32, SlotSize: slotSize}
)

func roundPage(n int) int { return (n + pageSize - 1) &^ (pageSize - 1) }

// ringRegion is where a ring begins, and behind it its bulk area.
func ringRegion(side int, cfg shm.RingConfig) (ring, bulk, end int) {
	requests := roundPage(requestRing.Bytes()) + bulkSize
	answers := roundPage(answerRing.Bytes()) + bulkSize
	ring = pageSize + side*requests
	if cfg == answerRing {
		ring = pageSize + 2*requests + side*answers
	}
	bulk = ring + roundPage(cfg.Bytes())
	return ring, bulk, bulk + bulkSize
}

var _, _, segmentSize = ringRegion(1, answerRing)

// connMemory is a side's view of the memory.
type connMemory struct {
	seg         *shm.Segment
	side        int
	order       shm.Order
	bell        shm.Bell // this side's: set when it sleeps
	theirs      shm.Bell
	closeStatus [2]*atomic.Uint64 // ours, the peer's: how the connection ended
	hazard      [2]*shm.Slot      // ours: of out and in
	peerHazards [2]*shm.Slot      // the peer's
}

func (m *connMemory) init(seg *shm.Segment, side int, o shm.Order) {
	b := seg.Bytes()
	m.seg, m.side, m.order = seg, side, o
	for i := range 2 {
		s := side ^ i
		m.closeStatus[i] = shm.Word64(b, closeStatusAt+s*lineSize)
	}
	// Who rings has passed a gate just before, so a fence costs little; a barrier for
	// each sleep would cost a lot.
	m.bell = shm.NewBell(shm.Word32(b, bellsAt+side*lineSize), shm.Order{})
	m.theirs = shm.NewBell(shm.Word32(b, bellsAt+(side^1)*lineSize), shm.Order{})
	for half := range 2 {
		m.hazard[half] = shm.SlotAt(b, hazardsAt+(2*side+half)*lineSize)
		m.peerHazards[half] = shm.SlotAt(b, hazardsAt+(2*(side^1)+half)*lineSize)
	}
}
