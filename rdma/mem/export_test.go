package mem

import "github.com/godapl/godapl/internal/hca"

// Quarantined is how many mappings are kept for late uses only.
func Quarantined() int {
	freed.mu.Lock()
	defer freed.mu.Unlock()
	return len(freed.ranges)
}

// Domain is the memory side of a zone.
type Domain = domain

var zones uint64

// NewDomain makes one, for tests.
func NewDomain(pd hca.PD, name string) *Domain {
	zones++
	return newDomain(pd, name, zones)
}

func (s *Slice) Segment(d *Domain, need Rights) (hca.Segment, bool) { return s.segment(d, need) }

func (s *Slice) Refusal(d *Domain, need Rights) error { return s.refusal(d, need) }
