package soft

import (
	"sync/atomic"

	"github.com/godapl/godapl/internal/shm"
)

// The memory of a connection: a page of words, then for either side a ring of
// requests with the area for what does not fit into its slots, then the same for
// answers. Side 0 dialled, side 1 listened. A side writes to its own rings, its
// own words and nowhere else.
const (
	shmPage   = 4096
	shmSlot   = 128
	shmInline = 120 // octets of a slot that are the message's
	shmBulk   = 64 << 10
	shmChunk  = 16 << 10 // so much of a message goes through the bulk area at once

	// Offsets of words in the page; sides are shmLine apart.
	shmBells    = 0
	shmVerdicts = 256
	shmVisits   = 512 // two a side: of its sending and of its receiving half
	shmLine     = 128
)

var (
	shmRequests = shm.RingConfig{Slots: 128, SlotSize: shmSlot}
	shmAnswers  = shm.RingConfig{Slots: 32, SlotSize: shmSlot}
)

func roundPage(n int) int { return (n + shmPage - 1) &^ (shmPage - 1) }

// shmRegion is where a ring begins, and behind it its bulk area.
func shmRegion(side int, cfg shm.RingConfig) (ring, bulk, end int) {
	requests := roundPage(shmRequests.Bytes()) + shmBulk
	answers := roundPage(shmAnswers.Bytes()) + shmBulk
	ring = shmPage + side*requests
	if cfg == shmAnswers {
		ring = shmPage + 2*requests + side*answers
	}
	bulk = ring + roundPage(cfg.Bytes())
	return ring, bulk, bulk + shmBulk
}

var _, _, shmSize = shmRegion(1, shmAnswers)

// shmMem is a side's view of the memory.
type shmMem struct {
	seg     *shm.Segment
	side    int
	order   shm.Order
	bell    shm.Bell // this side's: set when it sleeps
	theirs  shm.Bell
	verdict [2]*atomic.Uint64 // ours, the peer's: how the connection ended
	visit   [2]*shm.Slot      // ours: of out and in
	visits  [2]*shm.Slot      // the peer's
}

func (m *shmMem) init(seg *shm.Segment, side int, o shm.Order) {
	b := seg.Bytes()
	m.seg, m.side, m.order = seg, side, o
	for i := range 2 {
		s := side ^ i
		m.verdict[i] = shm.Word64(b, shmVerdicts+s*shmLine)
	}
	// Who rings has passed a gate just before, so a fence costs little; a barrier for
	// each sleep would cost a lot.
	m.bell = shm.NewBell(shm.Word32(b, shmBells+side*shmLine), shm.Order{})
	m.theirs = shm.NewBell(shm.Word32(b, shmBells+(side^1)*shmLine), shm.Order{})
	for half := range 2 {
		m.visit[half] = shm.SlotAt(b, shmVisits+(2*side+half)*shmLine)
		m.visits[half] = shm.SlotAt(b, shmVisits+(2*(side^1)+half)*shmLine)
	}
}
