package fakeibv_test

import (
	"testing"
	"testing/synctest"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/verbs/fakeibv"
	"github.com/godapl/godapl/internal/hca/verbs/ibv"
)

// The device has notified of what wakes no consumer, and the adapter cannot arm the queue again: the consumer arms it
// itself, and gets the error.
func TestAQueueThatCannotBeArmedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, fakeibv.Config{Seed: 1, Stepped: true}, hca.Options{})
		woken := 0
		q := made(r.a.NewCQ(hca.CQConfig{Depth: 64, Notify: func() { woken++ }}))(r)
		r.w.Disturb(1, 0) // there is a notification without an entry
		r.w.FailArms(0, ibv.EIO, ibv.EIO)
		r.must(q.Arm())
		r.steps()
		if woken != 1 {
			t.Errorf("the consumer was woken %d times, want once", woken)
		}
		if err := q.Arm(); err == nil {
			t.Error("armed again without an error")
		}
		r.must(q.Close())
	})
}

// A queue pair whose receives wake only when they are solicited has a second queue of the device, which comes
// while the consumer sleeps.
func TestASecondQueueThatCannotBeArmed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, fakeibv.Config{Seed: 1, Stepped: true}, hca.Options{})
		woken := 0
		q := made(r.a.NewCQ(hca.CQConfig{Depth: 64, Notify: func() { woken++ }}))(r)
		r.must(q.Arm())
		r.w.FailArms(0, ibv.EIO)
		r.newEnd(func(cfg *hca.QPConfig) { cfg.RecvCQ, cfg.SolicitQuiet = q, true })
		if woken != 1 {
			t.Errorf("the consumer was woken %d times, want once", woken)
		}
	})
}
