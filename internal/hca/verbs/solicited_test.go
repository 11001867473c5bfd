package verbs_test

import (
	"testing"
	"time"

	"github.com/godapl/godapl/internal/hca"
)

// Where only solicited receives wake, polling the queue for another reason neither lets
// unsolicited receives wake nor keeps solicited ones from waking.
func TestUnsolicitedStayQuiet(t *testing.T) {
	eachDevice(t, func(t *testing.T, a hca.Adapter) {
		if a.Attr().Caps&hca.CapSolicited == 0 {
			t.Skip("every receive wakes on this device")
		}
		x, y := connect(t, a, newSide(t, a, nil), newSideWith(t, a, nil, true))
		for range 20 {
			y.must(y.qp.PostRecv(hca.RecvWR{Local: y.seg(8)}))
			y.must(y.qp.PostRecv(hca.RecvWR{Local: y.seg(8)}))
			y.must(y.rq.Arm())
			if n := y.rq.Poll(y.wcs); n != 0 {
				t.Fatalf("%d entries before anything was sent", n)
			}
			send := hca.SendWR{Op: hca.OpSend, Local: x.seg(8)}
			x.must(x.qp.PostSend(send))
			x.take(x.sq, 1) // the peer has it
			for {
				if _, receives := y.qp.Outstanding(); receives == 1 {
					break
				}
			}
			select {
			case <-y.bell:
				t.Fatal("woken by a receive that was not solicited")
			default:
			}
			send.Flags = hca.Solicited
			x.must(x.qp.PostSend(send))
			select {
			case <-y.bell:
			case <-time.After(20 * time.Second):
				t.Fatal("not woken by a solicited receive")
			}
			y.take(y.rq, 2)
			x.take(x.sq, 1)
		}
	})
}
