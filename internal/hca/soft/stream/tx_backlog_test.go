package stream_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/godapl/godapl/internal/hca"
)

// TestPostsGatherBehindABacklog: a program that takes completions from a channel does not poll, and its queue is
// armed; as long as the channel holds more, its posts wait.
func TestPostsGatherBehindABacklog(t *testing.T) {
	for _, cfg := range []gatherSetup{{}, {crowd: true}, {crowd: true, apart: true}} {
		synctest.Test(t, func(t *testing.T) {
			g := newGathering(t, cfg)
			g.ok(g.cq.Arm())
			g.post(1)
			g.come("no backlog", 1)
			g.more.Store(true)
			g.post(3)
			g.come("a backlog", 1)
			g.ok(g.cq.Arm()) // by the goroutine of the channel
			g.take(1)
			g.come("that goroutine looks for more", 1)
			g.more.Store(false)
			g.post(1)
			g.come("the last completion is taken", 5)
			g.more.Store(true)
			g.post(2)
			g.cq.(hca.Pusher).Push()
			g.come("a push with a backlog", 5)
			g.more.Store(false)
			g.cq.(hca.Pusher).Push()
			g.come("a push without", 7)
			g.more.Store(true)
			g.post(3)
			g.send(4096)
			g.come("a large one", 11)
			g.post(64)
			g.come("many", 75)
		})
	}
}

// TestABatchIsABacklog: the answers to a batch of completions leave together, also the first of each connection. The
// first one leaves at once where there are few connections and the program only ever polls: it has a processor of its
// own, and its peer need not wait for the rest. It leaves at once, too, if the batch is of requests for which the program
// never waits: it perhaps looks for more of these much later.
func TestABatchIsABacklog(t *testing.T) {
	for _, cfg := range []gatherSetup{{}, {crowd: true}, {crowd: true, apart: true}, {crowd: true, apart: true, other: true}, {waits: true}, {waits: true, other: true, apart: true}} {
		synctest.Test(t, func(t *testing.T) {
			g := newGathering(t, cfg)
			g.take(0)
			g.batch.Store(true)
			g.post(4)
			first := int64(1)
			if cfg.waits || cfg.crowd && cfg.apart == cfg.other {
				first = 0
			}
			g.come("a batch", first)
			g.batch.Store(false)
			g.cq.Poll(make([]hca.WC, 16))
			g.cq.Poll(make([]hca.WC, 16))
			g.come("the next looks", 4)
		})
	}
}

// TestEntriesOnTheirWayAreABacklog: what a channel's goroutine has not taken yet will come to the program, too. Once
// that goroutine has armed the queue, it is not sure to come.
func TestEntriesOnTheirWayAreABacklog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGathering(t, gatherSetup{crowd: true})
		g.forwards.Store(true)
		g.ok(g.cq.Arm())
		g.post(1)
		g.come("nothing is on its way", 1)
		g.post(3)
		g.come("the entry of the first is", 1)
		g.cq.(hca.Pusher).Push()
		g.come("a push with an entry on its way", 1)
		g.take(1)
		g.cq.(hca.Pusher).Push()
		g.come("a push without", 4)
		g.ok(g.cq.Arm())
		g.post(2)
		g.come("an armed queue", 5)
	})
}

// TestABacklogWaitsForATime: what nobody pushes is written by the watch, and the next posts do not wait: the program
// has nothing before it, or has stopped taking what is there.
func TestABacklogWaitsForATime(t *testing.T) {
	for _, stopped := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			g := newGathering(t, gatherSetup{crowd: true})
			g.ok(g.cq.Arm())
			g.more.Store(true)
			g.post(3)
			g.more.Store(stopped)
			g.come("a backlog", 0)
			<-time.After(2500 * time.Microsecond)
			g.come("after two rounds", 3)
			g.more.Store(true)
			g.post(3)
			g.come("a program that does not look", 6)
		})
	}
}

// TestASlowProgramAnswersWithTheNext: a program that takes its time for each completion has each answer sent with
// the one behind it, and gathers again when it is fast.
func TestASlowProgramAnswersWithTheNext(t *testing.T) {
	for _, cfg := range []gatherSetup{{crowd: true}, {apart: true}} {
		synctest.Test(t, func(t *testing.T) {
			g := newGathering(t, cfg)
			g.ok(g.cq.Arm())
			g.more.Store(true)
			for sent := int64(0); sent < 6; sent += 2 {
				g.post(1)
				g.come("the first", sent)
				<-time.After(200 * time.Microsecond)
				g.post(1)
				g.come("the next", sent+2)
			}
			g.post(20)
			g.come("a fast program", 6)
		})
	}
}
