package peers_test

import (
	"testing"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/iwarp"
)

// TestRefusalInsideAMessage: this side refuses a request while it is in the middle of a message of its own. The answer
// to an earlier request would be a message inside a message, which the peer may take for a fault: then it would not
// learn of the refusal.
func TestRefusalInsideAMessage(t *testing.T) {
	t.Parallel()
	s := newStation(t, hca.Options{})
	for _, op := range []hca.Op{hca.OpWrite, hca.OpSend} {
		for _, r := range roles {
			t.Run(op.String()+"/"+r.name, func(t *testing.T) {
				e, p := s.open(t, r, depths{4, 4})
				p.write(write(1, 0, ""))
				k := newStuck(t, s, p)
				e.post(hca.SendWR{Op: op, Local: hca.Segment{Addr: k.Addr(), Len: uint32(len(k.bytes)), Key: k.LKey()}, RKey: 7}, hca.StatusFlushed)
				s.jammed(t, p)
				p.write(readRequest(1, e.mem.all.stag(), e.mem.all.to(0), 8), readRequest(2, 0xabcd02, 0, 8))
				s.bystander(t)
				end := p.end()
				end.one(t, "0/1/0x00")
				open := false
				for _, seg := range end.segments {
					if open && seg.Op == iwarp.OpReadResponse {
						t.Errorf("a Read Response came inside a %v", op)
					}
					open = !seg.Last
				}
				if !open {
					t.Error("the whole message came: the case tests nothing")
				}
				if err := k.Close(); err != nil {
					t.Error(err)
				}
				e.over(hca.EventBroken)
			})
		}
	}
	s.bystander(t)
}
