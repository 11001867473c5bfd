package peers_test

import (
	"testing"
	"time"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/iwarp"
)

// A peer that has not said anything is greeted again, a few times, between
// messages; one that has is left alone.
func TestSilentPeerIsRoused(t *testing.T) {
	t.Parallel()
	s := newStation(t, hca.Options{})
	e, p := s.open(t, initiator, depths{4, 4})
	p.roused = true
	for range 2 {
		if s := p.want(iwarp.OpWrite); len(s.Payload) > 0 || !s.Last {
			t.Errorf("the greeting is %+v", s)
		}
	}
	x := &exchange{t, e, p}
	x.heard()
	x.readable()
	x.alive()

	e, p = s.open(t, initiator, depths{4, 4})
	x = &exchange{t, e, p}
	x.heard()
	p.roused = true
	if s, err := p.nextWithin(150 * time.Millisecond); err == nil {
		t.Errorf("a peer that has spoken got %+v", s)
	}
}
