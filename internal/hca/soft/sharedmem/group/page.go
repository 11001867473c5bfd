package group

import (
	"sync/atomic"

	"github.com/godapl/godapl/internal/shm"
)

// The page: the doorbell, on a cache line of its own, and the flags, in words of 64.
const (
	pageSize = 4096
	flagsAt  = 128
	words    = 16

	// Most is how many connections a group can have.
	Most = words * wordBits

	wordBits = 64
)

// A page is one side's access to it.
type page struct {
	seg   *shm.Segment
	bell  shm.Doorbell
	flags [words]*atomic.Uint64
}

func newPage() (page, error) {
	seg, err := shm.NewSegment("godapl-doorbell", pageSize, 0)
	return openPage(seg, err)
}

func openPage(seg *shm.Segment, err error) (page, error) {
	if err != nil {
		return page{}, err
	}
	b := seg.Bytes()
	p := page{seg: seg, bell: shm.NewDoorbell(shm.Word32(b, 0), shm.Order{})}
	for i := range p.flags {
		p.flags[i] = shm.Word64(b, flagsAt+8*i)
	}
	return p, nil
}

// flag is that of a connection, by its slot, which is below Most.
func (p *page) flag(slot int) shm.Flag {
	return shm.FlagOf(p.flags[slot/wordBits], uint(slot%wordBits))
}

// lower lowers all flags of a word, and returns those that were raised.
func (p *page) lower(word int) (raised uint64) {
	f := p.flags[word]
	if f.Load() == 0 {
		return 0
	}
	raised = f.Swap(0)
	shm.Order{}.Slow() // before the connections are looked at
	return raised
}
