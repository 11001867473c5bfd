package fakeibv_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/verbs/fakeibv"
)

// Resizing a completion queue takes entries from the device. What they cause does not wait
// for the consumer, who may not poll.
func TestResizeMeetsFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, fakeibv.Config{Seed: 1, Stepped: true}, hca.Options{})
		x, y := r.newEnd(nil), r.newEnd(nil)
		r.connect(x, y)
		bad := x.seg(8)
		bad.Key ^= 0x5A5A00
		r.must(x.qp.PostSend(hca.SendWR{Op: hca.OpWrite, Local: bad, Remote: y.mr.Addr(), RKey: y.mr.RKey()}))
		r.steps() // its completion is in the device's queue
		r.must(x.cq.Resize(128))
		broken := false
		for range 1000 { // a second
			if broken = len(x.events) > 0; broken {
				break
			}
			if !r.w.Step() {
				<-time.After(time.Millisecond)
			}
			synctest.Wait()
		}
		if !broken {
			t.Fatal("the failed request has not ended the connection")
		}
		x.wants(hca.EventBroken)
	})
}
