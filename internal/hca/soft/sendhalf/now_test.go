package sendhalf_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/core"
	"github.com/godapl/godapl/internal/hca/soft/sendhalf"
)

// TestTheThreeResultsOfAtOnce: a request that is not for now is queued, and started unless it may wait; one that is done
// has its completion, or its place back, and is not queued; one that is sent is left to the path.
func TestTheThreeResultsOfAtOnce(t *testing.T) {
	single := func(l *lane, flags hca.Flags) error { return l.PostPlainWrite(1, flags, hca.Segment{Len: 1}, 0, 0) }
	list := func(l *lane, flags hca.Flags) error {
		wr := request(1, hca.OpWrite)
		wr.Flags = flags
		n, err := l.PostSends([]hca.SendWR{wr})
		if n != 1 {
			return fmt.Errorf("%d posted", n)
		}
		return err
	}
	other := func(l *lane, _ hca.Flags) error { return l.PostSend(request(1, hca.OpWriteImm)) }
	for _, c := range []struct {
		name   string
		post   func(*lane, hca.Flags) error
		now    sendhalf.Now
		flags  hca.Flags
		waits  bool
		did    string
		queued uint64 // requests that remain in the queue
		used   int    // places in the queue that are taken, or whose completion is not taken
	}{
		{"queued", single, sendhalf.NotNow, 0, false, "1", 0, 1},
		{"queued, waits", single, sendhalf.NotNow, 0, true, "", 1, 1},
		{"other", other, sendhalf.NotNow, 0, false, "1", 0, 1},
		{"other, waits", other, sendhalf.NotNow, 0, true, "", 1, 1},
		{"done", single, sendhalf.NowDone, 0, false, "done 1", 0, 1},
		{"done, silent", single, sendhalf.NowDone, hca.Suppress, false, "done 1", 0, 0},
		{"sent", single, sendhalf.NowSent, 0, false, "sent 1", 1, 1},
		{"list: queued", list, sendhalf.NotNow, 0, false, "1", 0, 1},
		{"list: queued, waits", list, sendhalf.NotNow, 0, true, "1", 0, 1}, // behind a list nothing is to follow
		{"list: done", list, sendhalf.NowDone, 0, false, "done 1", 0, 1},
		{"list: done, silent", list, sendhalf.NowDone, hca.Suppress, false, "done 1", 0, 0},
		{"list: sent", list, sendhalf.NowSent, 0, false, "sent 1, 1", 0, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := newLane(t)
			l.now, l.waits = always(c.now), c.waits
			must(t, c.post(l, c.flags))
			l.did(t, c.did)
			if n := l.q.SQ.Tail - l.q.SQ.Head; n != c.queued || l.q.Tx.Used() != c.used {
				t.Errorf("%d requests are in the queue, %d places are taken; want %d, %d", n, l.q.Tx.Used(), c.queued, c.used)
			}
			l.now = nil
			l.RunSend()
			if c.flags&hca.Suppress != 0 {
				l.completed(t)
			} else {
				l.completed(t, 1)
			}
		})
	}
}

// TestADoneRequestTellsItsConsumer, and that of the peer's receive, once the gate is left; also if others have marked it.
func TestADoneRequestTellsItsConsumer(t *testing.T) {
	for _, marked := range []bool{false, true} {
		for _, received := range []bool{false, true} {
			lanes := newLanes(t, 2)
			l, peer := lanes[0], lanes[1]
			l.now = func(uint64) sendhalf.Now {
				if marked {
					l.RunSend()
				}
				if received {
					peer.arrives(7, &l.After)
				}
				return sendhalf.NowDone
			}
			must(t, l.cq.Arm())
			must(t, peer.cq.Arm())
			l.post(t, 1)
			if l.told != 1 || l.held || received && peer.told != 1 || peer.held {
				t.Errorf("marked %t, received %t: told %d and %d times, inside %t, %t", marked, received, l.told, peer.told, l.held, peer.held)
			}
			if n := l.counted(t, hca.OpSend); n != 1 {
				t.Errorf("marked %t, received %t: %d sends were counted", marked, received, n)
			}
			l.completed(t, 1)
		}
	}
}

// TestAPlainPostIsCheckedLikeAnyOther: no form takes a request that is too long, or comes before the connection.
func TestAPlainPostIsCheckedLikeAnyOther(t *testing.T) {
	l := newLane(t)
	l.now = always(sendhalf.NowDone)
	refused := func(size uint32, code error) {
		t.Helper()
		wr := hca.SendWR{Op: hca.OpSend, Local: hca.Segment{Len: size}}
		_, list := l.PostSends([]hca.SendWR{wr})
		for _, err := range []error{list, l.PostSend(wr), l.PostPlainSend(0, 0, wr.Local), l.PostPlainWrite(0, 0, wr.Local, 0, 0)} {
			if !errors.Is(err, code) {
				t.Errorf("%d bytes: %v, want %v", size, err, code)
			}
		}
		l.did(t, "")
		l.completed(t)
		if l.q.Tx.Used() != 0 {
			t.Errorf("%d places are taken", l.q.Tx.Used())
		}
	}
	l.q.Adapter.Attrs.MaxMessage = 100
	refused(101, hca.Length)
	l.q.State.Store(core.StateOpening)
	refused(1, hca.State)
}

// TestOthersAreNotTriedAtOnce: AtOnce is for a send or write of one segment.
func TestOthersAreNotTriedAtOnce(t *testing.T) {
	l := newLane(t)
	l.now = func(id uint64) sendhalf.Now { t.Errorf("request %d was tried", id); return sendhalf.NotNow }
	must(t, l.PostSend(request(1, hca.OpWriteImm)))
	_, err := l.PostSends([]hca.SendWR{request(2, hca.OpWriteImm)})
	must(t, err)
	l.did(t, "1, 2")
	l.completed(t, 1, 2)
}

// TestALineOfRequestsIsKnown: a path knows at each request of a list that more follow, and at its end that none does.
func TestALineOfRequestsIsKnown(t *testing.T) {
	l := newLane(t)
	var batch []bool
	l.now = func(uint64) sendhalf.Now { batch = append(batch, l.Batch); return sendhalf.NotNow }
	l.during = func() { batch = append(batch, l.Batch) }
	_, err := l.PostSends([]hca.SendWR{request(1, hca.OpSend)})
	must(t, err)
	l.post(t, 2)
	if fmt.Sprint(batch) != "[true false false]" {
		t.Errorf("Batch was %v at the request of a list, at the end of the list, at a single request", batch)
	}
}
