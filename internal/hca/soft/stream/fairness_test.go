package stream

import (
	"bytes"
	"context"
	"net"
	"slices"
	"testing"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/core"
	"github.com/godapl/godapl/internal/hca/soft/gate"
	"github.com/godapl/godapl/internal/hca/soft/progress"
	"github.com/godapl/godapl/internal/hca/soft/stream/wire"
	"github.com/godapl/godapl/internal/iwarp"
)

// Runs of connections whose peers send without end. No clock is involved: the tests count what one run handles,
// and of which connection.

// feedWire delivers the same frames again and again, some in each read.
type feedWire struct {
	deafWire
	frame  []byte
	each   int    // frames in one read at most
	left   int    // frames still to deliver
	onRead func() // called by each read that delivers some
	always bool   // by each other read, too
}

func (w *feedWire) Read(p []byte) (int, error) {
	if w.onRead != nil && (w.left > 0 || w.always) {
		w.onRead()
	}
	n := min(w.each, w.left, len(p)/len(w.frame))
	if n == 0 {
		return 0, wire.ErrAgain
	}
	w.left -= n
	return copy(p, bytes.Repeat(w.frame, n)), nil
}

func (w *feedWire) Release(context.Context) (net.Conn, error) { return nil, net.ErrClosed }

// A fed connection gets everything that its wire delivers. Its adapter's engine does nothing by itself.
type fed struct {
	c  *Conn
	w  *feedWire
	cq *core.CQ
}

// stalled is an adapter whose engine has no workers.
func stalled(t *testing.T) *core.Adapter {
	t.Helper()
	a, _ := newBare(hca.Options{})
	t.Cleanup(func() { a.Shutdown(func() {}) })
	a.Engine.Halt()
	return a
}

// feed makes a connection with n frames to read. Nothing is read yet.
func feed(t *testing.T, a *core.Adapter, frame []byte, each, n int) *fed {
	t.Helper()
	d, err := a.NewPD()
	if err != nil {
		t.Fatal(err)
	}
	queue, err := a.NewCQ(hca.CQConfig{Depth: 8})
	if err != nil {
		t.Fatal(err)
	}
	made, err := a.NewQP(hca.QPConfig{PD: d, SendCQ: queue, RecvCQ: queue, SendDepth: 4, RecvDepth: 4})
	if err != nil {
		t.Fatal(err)
	}
	q := made.(*core.QP)
	f := &fed{c: (&Path{a: a}).newConn(q, true), w: &feedWire{frame: frame, each: each, left: n}, cq: queue.(*core.CQ)}
	c := f.c
	c.w, c.crc = f.w, true
	c.mulpdu.Store(longULPDU)
	c.peer.Store(peerGodapl)
	c.in.any = true
	c.ending.Store(true) // nothing lingers
	if err := q.Open("test", nil); err != nil {
		t.Fatal(err)
	}
	q.Establish(c)
	q.Release()
	c.started.Store(true)
	return f
}

// handled is how many of n frames have been handled.
func (f *fed) handled(n int) int { return n - f.w.left - (f.c.in.w-f.c.in.r)/len(f.w.frame) }

func emptyWrite() []byte {
	return iwarp.AppendTagged(nil, iwarp.TaggedHeader{Op: iwarp.OpWrite, Last: true, STag: 0xdead}, nil, true)
}

// TestRunHandlesSoManyFrames: empty writes are few bytes and much work.
func TestRunHandlesSoManyFrames(t *testing.T) {
	const n = 10*rxFrames + 7
	f := feed(t, stalled(t), emptyWrite(), n, n)
	for turn := 1; ; turn++ {
		more := f.c.Run()
		if got, want := f.handled(n), min(n, turn*rxFrames); got != want {
			t.Fatalf("%d frames were handled in %d turns, want %d", got, turn, want)
		}
		if more != (turn*rxFrames < n) {
			t.Fatalf("turn %d of 11: more is %v", turn, more)
		}
		if !more {
			return
		}
	}
}

// TestMarkMakesNoRunLonger: a marked gate makes the holder check again in its next run, if there is one
// anyway. Otherwise other goroutines could keep one goroutine busy for ever.
func TestMarkMakesNoRunLonger(t *testing.T) {
	const n = 20 * rxFrames
	f := feed(t, stalled(t), emptyWrite(), rxFrames, n)
	f.w.onRead = func() { f.c.rx.Enter() } // marks the gate, because a goroutine is inside
	if more, inside := f.c.runRx(); !more || !inside || f.handled(n) > rxFrames {
		t.Errorf("%d frames were handled in one turn of %d; more is %v", f.handled(n), rxFrames, more)
	}
	if w := f.c.rx.Word.Load(); w&gate.HeldBit != 0 {
		t.Error("the gate is held")
	}
	// A mark that is left when there is no more to read is handled.
	f = feed(t, stalled(t), emptyWrite(), 1, 3)
	f.w.onRead = func() { f.c.rx.Enter() }
	if more, _ := f.c.runRx(); more || f.handled(3) != 3 {
		t.Errorf("%d of 3 frames were handled; more is %v", f.handled(3), more)
	}
	// Endless marks do not make a run longer, either.
	f = feed(t, stalled(t), emptyWrite(), 1, 3)
	f.w.onRead, f.w.always = func() { f.c.rx.Enter() }, true
	if more, _ := f.c.runRx(); !more {
		t.Error("the run handled every mark; it should have ended")
	}
}

// TestConnectionsRunInTurn: each connection that has more to do runs before any of them runs twice.
func TestConnectionsRunInTurn(t *testing.T) {
	const n = 4 * rxFrames
	a := stalled(t)
	var all []*fed
	for range 3 {
		f := feed(t, a, emptyWrite(), n, n)
		all = append(all, f)
		a.Engine.Schedule(f.c)
	}
	var order []int
	for range 12 {
		before := []int{all[0].handled(n), all[1].handled(n), all[2].handled(n)}
		if !a.Engine.Step() {
			t.Fatal("no connection runs")
		}
		for i, f := range all {
			if f.handled(n) != before[i] {
				order = append(order, i)
			}
		}
	}
	if want := []int{0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2}; !slices.Equal(order, want) {
		t.Errorf("the connections ran in the order %v, want %v", order, want)
	}
}

// TestPollersDoTheirOwnWork: a consumer does the work that concerns its queue, and not the work that other
// connections' peers cause.
func TestPollersDoTheirOwnWork(t *testing.T) {
	const n = 4 * rxFrames
	a := stalled(t)
	stranger, own := feed(t, a, emptyWrite(), n, n), feed(t, a, emptyWrite(), n, n)
	a.Engine.Schedule(stranger.c)
	a.Engine.Schedule(own.c)
	var wcs [1]hca.WC
	for range progress.AnyJobEvery - 1 {
		own.cq.Poll(wcs[:])
	}
	if stranger.handled(n) != 0 || own.handled(n) != n {
		t.Errorf("%d frames of a stranger's were handled, and %d of %d own", stranger.handled(n), own.handled(n), n)
	}
	for range progress.AnyJobEvery { // the workers may be waiting for this processor
		own.cq.Poll(wcs[:])
	}
	if stranger.handled(n) == 0 {
		t.Error("without workers, no goroutine does a stranger's work")
	}
}

// TestPollersContinueTheirOwnWork: the work that a run leaves is done by the next poll alone or, if nobody polls, by
// the engine.
func TestPollersContinueTheirOwnWork(t *testing.T) {
	const n = 4 * rxFrames
	a := stalled(t)
	f := feed(t, a, emptyWrite(), n, n)
	f.cq.AddConn(f.c)
	defer f.cq.RemoveConn(f.c)
	var wcs [1]hca.WC
	for turn := 1; turn <= 2; turn++ {
		f.cq.Poll(wcs[:])
		if got := f.handled(n); got != turn*rxFrames {
			t.Fatalf("%d frames were handled by %d polls", got, turn)
		}
		if a.Engine.Busy() {
			t.Fatal("the engine has the work, too")
		}
	}
	if err := f.cq.Arm(); err != nil {
		t.Fatal(err)
	}
	if !a.Engine.Busy() {
		t.Error("the engine does not get the work when the consumer sleeps")
	}
}
