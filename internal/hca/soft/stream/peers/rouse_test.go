package peers_test

import (
	"testing"
	"time"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/iwarp"
)

// A silent peer is greeted again, a few times, between messages; one that has sent something is not.
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

// A greeting is never sent inside a message.
func TestRousedBetweenMessages(t *testing.T) {
	t.Parallel()
	s := newStation(t, hca.Options{})
	e, p := s.open(t, initiator, depths{4, 4})
	p.roused = true
	mr, err := s.pd.Register(hca.Memory{Bytes: make([]byte, 16<<20)}, hca.LocalRead)
	if err != nil {
		t.Fatal(err)
	}
	defer mr.Close()
	e.post(hca.SendWR{Op: hca.OpWrite, Local: hca.Segment{Addr: mr.Addr(), Len: 16 << 20, Key: mr.LKey()}, RKey: 7}, hca.StatusOK)
	s.jammed(t, p)
	for { // a greeting has been due for some time
		if seg := p.want(iwarp.OpWrite); seg.STag != 7 || seg.Len == 0 {
			t.Fatalf("inside of a message came %+v", seg)
		} else if seg.Last {
			break
		}
	}
	e.done(hca.StatusOK)
	(&exchange{t, e, p}).heard()
}
