package peers_test

import (
	"testing"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/iwarp"
)

// TestSentBehindAnAnsweredRead: the transport has taken a request, and its completion waits only for the answer to a read
// before it. Answer and end come together.
func TestSentBehindAnAnsweredRead(t *testing.T) {
	t.Parallel()
	s := newStation(t, hca.Options{})
	for _, op := range []hca.Op{hca.OpSend, hca.OpWrite} {
		for _, r := range ownRoles {
			t.Run(op.String()+"/"+r.name, func(t *testing.T) {
				e, p := s.open(t, r, depths{4, 4})
				read := e.readAt(0, 8)
				e.ledger.allow(read, hca.StatusOK)
				var asked iwarp.ReadRequest
				if err := iwarp.ParseReadRequest(p.want(iwarp.OpReadRequest).Payload, &asked); err != nil {
					t.Fatal(err)
				}
				for range 2 {
					e.post(hca.SendWR{Op: op, Local: e.mem.src.segment(0, 16), Remote: 0x20000, RKey: 0xabcd03}, hca.StatusOK)
					if got, err := p.next(); err != nil || got.Len != 16 {
						t.Fatal(got, err)
					}
				}
				e.readAt(8, 8)
				p.want(iwarp.OpReadRequest)
				e.post(hca.SendWR{Op: op, Local: e.mem.src.segment(0, 16), Remote: 0x20000, RKey: 0xabcd03}, hca.StatusFlushed)
				e.may = append(e.may, e.mem.sink.span(0, 8))
				p.write(response(asked.SinkSTag, uint64(asked.SinkTO), "answered"), terminate(0x12, 0x05, 0, 0))
				p.end()
				e.over(hca.EventBroken)
			})
		}
	}
}
