package peers_test

import (
	"testing"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/iwarp"
)

// TestFirstFrameWithoutAReceive: the initiator's first FPDU is a Send for which no receive is posted yet. It has arrived, so
// this side may send, and its program may wait for that before it posts the receive.
func TestFirstFrameWithoutAReceive(t *testing.T) {
	t.Parallel()
	s := newStation(t, hca.Options{ReceiveWait: patience})
	for name, frame := range map[string]iwarp.Frame{"revision 1": plain1, "another first frame": enhanced(iwarp.RTRWrite, 4, 4)} {
		for _, first := range []string{"hello", ""} {
			t.Run(name+"/"+first, func(t *testing.T) {
				v := s.listen(t)
				p := dial(t, v.address())
				p.sendRequest(frame)
				e := s.endpoint(t, depths{4, 4})
				result := e.accept(v.request(), nil)
				p.takeReply()
				p.write(send(1, first))
				p.send++
				e.established(result)
				e.post(hca.SendWR{Op: hca.OpSend, Local: e.mem.src.segment(0, 16)}, hca.StatusOK)
				p.want(iwarp.OpSend)
				e.done(hca.StatusOK)
				e.recv(16)
				e.may = append(e.may, e.mem.recv.span(0, len(first)))
				e.received()
				(&exchange{t, e, p}).alive()
			})
		}
	}
}
