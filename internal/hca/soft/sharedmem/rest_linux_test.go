package sharedmem_test

import (
	"bytes"
	"testing"
	"time"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft"
	"github.com/godapl/godapl/internal/hca/soft/sharedmem"
	"github.com/godapl/godapl/internal/hca/soft/softtest"
)

// resting returns a connection of which the second end rests: arming its queue does not run it any more.
func resting(t *testing.T) (a, b *softtest.End) {
	t.Helper()
	a, b = softtest.Connect(t, "shm", 8, 64)
	sharedmem.WithoutWatch(b.A)
	rest(t, b.QP, b.RecvCQ)
	return a, b
}

func rest(t *testing.T, q hca.QP, cq hca.CQ) {
	t.Helper()
	for range 1000 { // the engine may be running it
		before := sharedmem.Runs(q)
		if err := cq.Arm(); err != nil {
			t.Fatal(err)
		}
		if sharedmem.Runs(q) == before {
			return
		}
	}
	t.Fatal("each arming runs an idle connection")
}

// TestShmArmingCostsLittleForIdleConnections: arming a queue again runs no connection of which nothing has come, and
// what comes notifies the queue.
func TestShmArmingCostsLittleForIdleConnections(t *testing.T) {
	a, b := resting(t)
	seg := func(e *softtest.End) hca.Segment { return hca.Segment{Addr: e.MR.Addr(), Len: 8, Key: e.MR.LKey()} }
	var wcs [4]hca.WC
	for range 100 {
		rest(t, b.QP, b.RecvCQ)
		if err := b.QP.PostRecv(hca.RecvWR{Local: seg(b)}); err != nil {
			t.Fatal(err)
		}
		if err := a.QP.PostSend(hca.SendWR{Op: hca.OpSend, Flags: hca.Suppress, Local: seg(a)}); err != nil {
			t.Fatal(err)
		}
		softtest.Await(t, b.RecvCQ)
		if n := b.RecvCQ.Poll(wcs[:]); n != 1 {
			t.Fatalf("%d entries", n)
		}
		b.RecvCQ.Poll(wcs[:]) // from here on it is polled
	}
}

// TestShmPollLeavesNoRest: a poll may leave acknowledgements to the next one, so the arming after it runs the
// connection.
func TestShmPollLeavesNoRest(t *testing.T) {
	_, b := resting(t)
	if sharedmem.RestsAfterPoll(b.QP) {
		t.Error("it rests, with acknowledgements that nobody sends or reads")
	}
}

// TestShmRestEndsWithTheThreadThatWatched: a connection whose doorbell a thread outside of Go has watched is watched by
// the adapter again when a goroutine waits.
func TestShmRestEndsWithTheThreadThatWatched(t *testing.T) {
	a, b := resting(t)
	thread := b.RecvCQ.(hca.DescriptorArmer)
	for range 3 {
		fds, err := thread.ArmDescriptors(nil)
		if err != nil || len(fds) != 1 {
			t.Fatalf("the thread watches %d descriptors, %v", len(fds), err)
		}
		thread.DisarmDescriptors(false)
		sendTo(t, a, b)
		if err := b.RecvCQ.Arm(); err != nil {
			t.Fatal(err)
		}
		softtest.Await(t, b.RecvCQ)
		var wcs [4]hca.WC
		if n := b.RecvCQ.Poll(wcs[:]); n != 1 {
			t.Fatalf("%d entries", n)
		}
		rest(t, b.QP, b.RecvCQ)
	}
	if _, err := thread.ArmDescriptors(nil); err != nil {
		t.Fatal(err)
	}
	thread.DisarmDescriptors(false)
	if err := b.RecvCQ.Arm(); err != nil {
		t.Fatal(err)
	}
	sendTo(t, a, b)
	softtest.Await(t, b.RecvCQ)
}

// TestShmThreadLosesNoSignal: a thread that begins to watch takes the signals that have come; the connection is run
// for these.
func TestShmThreadLosesNoSignal(t *testing.T) {
	for range 100 {
		a, b := resting(t)
		if !sharedmem.LoseSignals(b.QP) {
			t.Fatal("the doorbell cannot be taken out of its poller")
		}
		sendTo(t, a, b)
		if !sharedmem.AwaitRing(b.QP, b.RecvCQ) {
			continue // the poller was still running the connection, for an earlier signal
		}
		if _, err := b.RecvCQ.(hca.DescriptorArmer).ArmDescriptors(nil); err != nil {
			t.Fatal(err)
		}
		softtest.Await(t, b.RecvCQ)
		b.RecvCQ.(hca.DescriptorArmer).DisarmDescriptors(false)
		return
	}
	t.Fatal("the connection was run each time before its doorbell rang")
}

func sendTo(t *testing.T, a, b *softtest.End) {
	t.Helper()
	seg := func(e *softtest.End) hca.Segment { return hca.Segment{Addr: e.MR.Addr(), Len: 8, Key: e.MR.LKey()} }
	if err := b.QP.PostRecv(hca.RecvWR{Local: seg(b)}); err != nil {
		t.Fatal(err)
	}
	if err := a.QP.PostSend(hca.SendWR{Op: hca.OpSend, Flags: hca.Suppress, Local: seg(a)}); err != nil {
		t.Fatal(err)
	}
}

// TestShmReceiveEndsTheRest: a message that waited for a receive, which was posted between a notification and the next
// arming, is found by that arming.
func TestShmReceiveEndsTheRest(t *testing.T) {
	x := softtest.NewLone(t, soft.Driver("shm"), hca.Options{}, hca.QPConfig{})
	notified := make(chan struct{}, 64)
	y := softtest.NewLone(t, soft.Driver("shm"), hca.Options{ReceiveWait: time.Minute}, hca.QPConfig{})
	sharedmem.WithoutWatch(y.A)
	ok := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	cq, err := y.A.NewCQ(hca.CQConfig{Depth: 64, Notify: func() { notified <- struct{}{} }})
	ok(err)
	qp, err := y.A.NewQP(hca.QPConfig{PD: y.PD, SendCQ: cq, RecvCQ: cq, SendDepth: 16, RecvDepth: 16})
	ok(err)
	accepted := make(chan error, 1)
	ln, err := y.A.Listen(t.Context(), hca.ListenConfig{Address: "127.0.0.1:0", OnRequest: func(r hca.ConnRequest) bool {
		go func() { accepted <- r.Accept(t.Context(), qp, hca.ConnParams{}) }()
		return true
	}})
	ok(err)
	ok(x.QP.Connect(t.Context(), ln.Addr(), hca.ConnParams{}))
	ok(<-accepted)
	var wcs [8]hca.WC
	ok(x.QP.PostSend(hca.SendWR{Op: hca.OpSend, Local: x.Seg(8)}))
	for range 3 {
		if n := cq.Poll(wcs[:]); n != 0 {
			t.Fatalf("%d entries, and there is no receive", n)
		}
	}
	rest(t, qp, cq)
	x.Receive()
	ok(qp.PostSend(hca.SendWR{Op: hca.OpSend, Local: y.Seg(8)}))
	x.Arm()
	<-notified // of the acknowledgement
	if n := cq.Poll(wcs[:]); n != 1 || wcs[0].Op != hca.OpSend {
		t.Fatalf("%d entries, %+v", n, wcs[0])
	}
	ok(qp.PostRecv(hca.RecvWR{Local: y.Seg(8)}))
	ok(cq.Arm())
	<-notified
	if n := cq.Poll(wcs[:]); n != 1 || wcs[0].Op != hca.OpRecv {
		t.Fatalf("%d entries, %+v", n, wcs[0])
	}
}

// TestShmPollIsWatchedIfNobodyHearsTheDoorbell: a consumer that slept has taken the doorbell out of the adapter's poller
// and is gone. A poll then relies on the watch, although the doorbell is armed.
func TestShmPollIsWatchedIfNobodyHearsTheDoorbell(t *testing.T) {
	_, b := resting(t)
	thread := b.RecvCQ.(hca.DescriptorArmer)
	if fds, err := thread.ArmDescriptors(nil); err != nil || len(fds) != 1 {
		t.Fatalf("the thread watches %d descriptors, %v", len(fds), err)
	}
	thread.DisarmDescriptors(false)
	if !sharedmem.WatchedAfterPoll(t, b.QP) {
		t.Error("nobody would learn of what arrives")
	}
}

// TestShmMessageWhoseKeyIsBeingChanged: a receiver rests while the sender changes the key of a large message for long, and
// fetches the message afterwards.
func TestShmMessageWhoseKeyIsBeingChanged(t *testing.T) {
	const size = 1 << 20
	a, b := softtest.Connect(t, "shm", 8, size)
	sharedmem.WithoutWatch(b.A)
	seg := func(e *softtest.End) hca.Segment { return hca.Segment{Addr: e.MR.Addr(), Len: size, Key: e.MR.LKey()} }
	clear(b.Mem)
	resume := sharedmem.Suspend(a.QP, a.MR.LKey())
	if err := b.QP.PostRecv(hca.RecvWR{Local: seg(b)}); err != nil {
		t.Fatal(err)
	}
	run, release := sharedmem.HoldRx(b.QP)
	if err := a.QP.PostSend(hca.SendWR{Op: hca.OpSend, Local: seg(a)}); err != nil {
		t.Fatal(err)
	}
	const most = 1000
	runs := 1
	for runs < most && run() {
		runs++
	}
	release()
	if runs == most {
		t.Fatal("the receiver spins")
	}
	rest(t, b.QP, b.RecvCQ)
	resume()
	softtest.Await(t, b.RecvCQ)
	var wcs [2]hca.WC
	if n := b.RecvCQ.Poll(wcs[:]); n != 1 || wcs[0].Status != hca.StatusOK || !bytes.Equal(a.Mem, b.Mem) {
		t.Fatalf("%+v", wcs[:n])
	}
}
