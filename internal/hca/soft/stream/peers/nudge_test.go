package peers_test

import (
	"testing"
	"time"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/iwarp"
)

// The adapter greets a silent peer again, a few times, between messages. A peer that has sent something is greeted once
// more: it may have missed what came before.
func TestSilentPeerIsNudged(t *testing.T) {
	t.Parallel()
	s := newStation(t, hca.Options{})
	e, p := s.open(t, initiator, depths{4, 4})
	p.nudged = true
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
	p.nudged = true
	if s := p.want(iwarp.OpWrite); len(s.Payload) > 0 || !s.Last {
		t.Errorf("the greeting is %+v", s)
	}
	if s, err := p.nextWithin(600 * time.Millisecond); err == nil {
		t.Errorf("a peer that has spoken got %+v", s)
	}
}

// A greeting is never sent inside a message.
func TestNudgedBetweenMessages(t *testing.T) {
	t.Parallel()
	s := newStation(t, hca.Options{})
	e, p := s.open(t, initiator, depths{4, 4})
	p.nudged = true
	mr, err := s.pd.Register(hca.Memory{Bytes: make([]byte, 16<<20)}, hca.LocalRead)
	if err != nil {
		t.Fatal(err)
	}
	defer mr.Close()
	e.post(hca.SendWR{Op: hca.OpWrite, Local: hca.Segment{Addr: mr.Addr(), Len: 16 << 20, Key: mr.LKey()}, RKey: 7}, hca.StatusOK)
	s.jammed(t, p)
	// A greeting has been due for some time. On a slow machine it may come before the message.
	for begun := false; ; {
		seg := p.want(iwarp.OpWrite)
		if !begun && len(seg.Payload) == 0 && seg.STag != 7 {
			continue
		}
		begun = true
		if seg.STag != 7 || len(seg.Payload) == 0 {
			t.Fatalf("inside of a message came %+v", seg)
		}
		if seg.Last {
			break
		}
	}
	e.done(hca.StatusOK)
	(&exchange{t, e, p}).heard()
}
