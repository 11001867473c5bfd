package verbs_test

import (
	"testing"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/verbs/ibv"
	"github.com/godapl/godapl/internal/race"
)

// The calls that move data allocate nothing.
func TestAllocations(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector allocates")
	}
	eachDevice(t, func(t *testing.T, a hca.Adapter) {
		x, y := pair(t, a)
		wr, recv := x.write(y), hca.RecvWR{Local: y.seg(8)}
		quiet := wr
		quiet.Flags = hca.Suppress
		send := hca.SendWR{Op: hca.OpSend, Local: x.seg(8)}
		batch, recvs := make([]hca.SendWR, 16), make([]hca.RecvWR, 16)
		for i := range batch {
			batch[i], recvs[i] = send, recv
		}
		for name, step := range map[string]func(){
			"post and poll": func() {
				x.must(x.qp.PostSend(wr))
				x.take(x.sq, 1)
			},
			"suppressed": func() {
				for range 3 {
					x.must(x.qp.PostSend(quiet))
				}
				x.must(x.qp.PostSend(wr))
				x.take(x.sq, 1)
			},
			"suppressed last": func() {
				x.must(x.qp.PostSend(wr))
				x.must(x.qp.PostSend(quiet))
				x.must(x.qp.PostSend(quiet))
				x.take(x.sq, 1)
			},
			"send and receive": func() {
				y.must(y.qp.PostRecv(recv))
				x.must(x.qp.PostSend(send))
				x.take(x.sq, 1)
				y.take(y.rq, 1)
			},
			"batches": func() {
				_, err := y.qp.PostRecvs(recvs)
				y.must(err)
				_, err = x.qp.PostSends(batch)
				x.must(err)
				x.take(x.sq, 16)
				y.take(y.rq, 16)
			},
			"empty polls": func() {
				x.sq.Poll(x.wcs)
				y.rq.Poll(y.wcs)
			},
			"arm and park": func() {
				y.must(y.qp.PostRecv(recv))
				y.must(y.rq.Arm())
				y.rq.Poll(y.wcs)
				x.must(x.qp.PostSend(send))
				<-y.bell
				y.take(y.rq, 1)
				x.take(x.sq, 1)
			},
		} {
			for range 100 { // until rings and pools have their size
				step()
			}
			if n := testing.AllocsPerRun(200, step); n != 0 {
				t.Errorf("%s: %v allocations, want none", name, n)
			}
		}
	})
}

// crossed counts the crossings into the libraries that f makes, and those of
// whatever else runs meanwhile.
func crossed(f func()) uint64 {
	ibv.Count(true)
	defer ibv.Count(false)
	from := ibv.Crossings()
	f()
	return ibv.Crossings() - from
}

// fewest repeats a count and returns the smallest result, which excludes the occasional
// work of background goroutines. f returns how many of its crossings are not to be
// counted.
func fewest(f func() (without int)) int {
	least := 1 << 30
	for range 20 {
		without := 0
		n := int(crossed(func() { without = f() }))
		least = min(least, n-without)
	}
	return least
}

func TestCrossings(t *testing.T) {
	eachDevice(t, func(t *testing.T, a hca.Adapter) {
		x, y := pair(t, a)
		batch, recvs := make([]hca.SendWR, 16), make([]hca.RecvWR, 16)
		for i := range batch {
			batch[i] = hca.SendWR{Op: hca.OpSend, Local: x.seg(8)}
			recvs[i].Local = y.seg(8)
		}
		check := func(what string, got, want int) {
			t.Helper()
			t.Logf("%s: %d", what, got)
			if got != want {
				t.Errorf("%s took %d crossings, want %d", what, got, want)
			}
		}
		check("posting 16 receives", fewest(func() int {
			_, err := y.qp.PostRecvs(recvs)
			y.must(err)
			ibv.Count(false)
			_, err = x.qp.PostSends(batch)
			x.must(err)
			x.take(x.sq, 16)
			y.take(y.rq, 16)
			return 0
		}), 1)
		check("posting 16 sends", fewest(func() int {
			ibv.Count(false)
			_, err := y.qp.PostRecvs(recvs)
			y.must(err)
			ibv.Count(true)
			_, err = x.qp.PostSends(batch)
			ibv.Count(false)
			x.must(err)
			x.take(x.sq, 16)
			y.take(y.rq, 16)
			return 0
		}), 1)
		check("draining 16 receives", fewest(func() int {
			ibv.Count(false)
			_, err := y.qp.PostRecvs(recvs)
			y.must(err)
			_, err = x.qp.PostSends(batch)
			x.must(err)
			x.take(x.sq, 16)
			// A later write has completed, so all of them are done; an iWARP device may
			// still be writing their entries.
			x.must(x.qp.PostSend(x.write(y)))
			x.take(x.sq, 1)
			ibv.Count(true)
			polls := y.take(y.rq, 16)
			ibv.Count(false)
			return polls - 1
		}), 1)
	})
}

// A wait that parks costs three crossings more than the drain: arm, poll again, read
// the notification. Notifications are acknowledged in batches, which adds a little, and
// background goroutines add theirs, so the smallest of several counts is looked at.
func TestCrossingsOfWaiting(t *testing.T) {
	eachDevice(t, func(t *testing.T, a hca.Adapter) {
		x, y := pair(t, a)
		const rounds, most = 128, 3*128 + 128/16
		least := 1 << 30
		for try := 0; try < 5 && least > most; try++ {
			polls := 0
			n := int(crossed(func() {
				for range rounds {
					y.must(y.qp.PostRecv(hca.RecvWR{Local: y.seg(8)}))
					y.must(y.rq.Arm())
					if y.rq.Poll(y.wcs) != 0 {
						t.Fatal("there is something that was not sent")
					}
					x.must(x.qp.PostSend(hca.SendWR{Op: hca.OpSend, Local: x.seg(8)}))
					<-y.bell
					if y.rq.Poll(y.wcs) != 1 { // it has been drained for us
						t.Fatal("woken for nothing")
					}
					polls += x.take(x.sq, 1)
				}
			}))
			least = min(least, n-polls-3*rounds) // posting twice, draining once
		}
		t.Logf("%d crossings for %d waits: %.2f each", least, rounds, float64(least)/rounds)
		if least > most {
			t.Errorf("%d waits took %d crossings, want at most %d", rounds, least, most)
		}
	})
}
