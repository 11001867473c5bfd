package stream_test

import (
	"testing"
	"testing/synctest"

	"github.com/godapl/godapl/internal/hca"
)

// waited are the setups for requests that a program waits for. The first four have the backlog at the queue of the
// sends.
var waited = []gatherSetup{
	{}, {crowd: true}, {apart: true}, {crowd: true, apart: true}, {apart: true, other: true}, {crowd: true, apart: true, other: true},
}

// look takes the entries that are there, and those of requests that this sends.
func (g *gathering) look() {
	var wc [16]hca.WC
	g.cq.Poll(wc[:])
}

// TestACallDoesNotWaitBehindABacklog: the program that waits for a request takes nothing from the channel. The request
// is written at once, and so is what waits before it, on this connection and on others.
func TestACallDoesNotWaitBehindABacklog(t *testing.T) {
	for _, cfg := range waited {
		synctest.Test(t, func(t *testing.T) {
			g := newGathering(t, cfg)
			second := g.connect(128)
			g.more.Store(true)
			g.post(3)
			g.sendWith(second, 8, 0)
			g.come("a backlog", 0)
			g.sendWith(g.qp, 8, hca.Private)
			g.come("a call", 5)
			g.look()
			g.sendWith(second, 8, 0)
			g.come("a post of another connection", 5)
			g.sendWith(g.qp, 8, hca.Private)
			g.come("a call with nothing before it", 7)
			g.sendWith(second, 8, 0)
			g.sendWith(g.qp, 400, hca.Private)
			g.come("a call with a longer message", 9)
			g.post(3)
			g.come("posts wait as before", 9)
		})
	}
}

// TestABacklogDoesNotHoldWhatWaitsForAPoll: the request of a call waits for the call's own poll, and completions come
// to the channel before that.
func TestABacklogDoesNotHoldWhatWaitsForAPoll(t *testing.T) {
	for _, arm := range []bool{false, true} {
		for _, cfg := range waited {
			synctest.Test(t, func(t *testing.T) {
				g := newGathering(t, cfg)
				g.take(0)
				g.post(1)
				g.take(1)
				g.take(0)
				g.post(1)
				g.sendWith(g.qp, 8, hca.Private)
				g.come("the first", 2)
				g.more.Store(true)
				if arm {
					g.ok(g.cq.Arm())
				} else {
					g.look()
					g.look()
				}
				g.come("a poll for it", 3)
			})
		}
	}
}

// TestAPostWaitsBehindThoseThatWaitForAPoll: a post without a backlog, behind posts with one, waits for the next poll,
// whatever has come to the channel by then.
func TestAPostWaitsBehindThoseThatWaitForAPoll(t *testing.T) {
	for _, cfg := range waited {
		synctest.Test(t, func(t *testing.T) {
			g := newGathering(t, cfg)
			g.take(0)
			g.post(1)
			g.take(1)
			g.post(1) // this poll's request that is written at once
			g.more.Store(true)
			g.post(1)
			g.more.Store(false)
			g.post(1)
			g.come("the first of each poll", 2)
			g.more.Store(true)
			g.look()
			g.look()
			g.come("the next poll", 4)
		})
	}
}

// TestALookAtTheOtherQueueSends: a program posts behind the backlog of one queue, and then waits itself at the other
// queue.
func TestALookAtTheOtherQueueSends(t *testing.T) {
	for _, cfg := range waited[4:] {
		synctest.Test(t, func(t *testing.T) {
			g := newGathering(t, cfg)
			g.more.Store(true)
			g.post(3)
			g.come("a backlog", 0)
			g.rcq.Poll(make([]hca.WC, 1))
			g.come("a poll of the queue with the backlog", 0)
			g.look()
			g.come("a poll that finds nothing", 3)
			g.sendWith(g.qp, 8, hca.Private)
			g.post(2)
			g.look()
			g.come("a poll that finds completions", 4)
			g.ok(g.rcq.Arm())
			g.come("the queue with the backlog is armed", 4)
			g.ok(g.cq.Arm())
			g.come("the other is armed", 6)
		})
	}
}
