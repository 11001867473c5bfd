package sharedmem_test

import (
	"testing"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/softtest"
)

// TestWaitingMessagesArePolledFor: over shared memory too, the consumer that polls continues messages that
// waited for a receive, and not the goroutine that posts, receive by receive.
func TestWaitingMessagesArePolledFor(t *testing.T) {
	a, b, _ := polledPair(t) // without a watch
	var wcs [8]hca.WC
	seg := func(e *softtest.End) hca.Segment { return hca.Segment{Addr: e.MR.Addr(), Len: 8, Key: e.MR.LKey()} }
	for range 10 {
		if err := a.QP.PostSend(hca.SendWR{Op: hca.OpSend, Flags: hca.Suppress, Local: seg(a)}); err != nil {
			t.Fatal(err)
		}
		for range 2 { // the first may have other work
			if n := b.RecvCQ.Poll(wcs[:]); n != 0 {
				t.Fatalf("%d entries, and there is no receive", n)
			}
		}
		if err := b.QP.PostRecv(hca.RecvWR{Local: seg(b)}); err != nil {
			t.Fatal(err)
		}
		if b.RecvCQ.(hca.Peeker).Ready() {
			t.Error("the goroutine that posted the receive took the message, too")
		}
		for b.RecvCQ.Poll(wcs[:]) == 0 {
		}
	}
}

// TestWaitingMessageNeedsNoPoll: a message that waited arrives although the consumer posts a receive and polls
// no more, or sleeps.
func TestWaitingMessageNeedsNoPoll(t *testing.T) {
	for _, path := range []string{"tcp", "shm"} {
		t.Run(path, func(t *testing.T) {
			a, b := softtest.Connect(t, path, 8, 64)
			var wcs [8]hca.WC
			seg := func(e *softtest.End) hca.Segment { return hca.Segment{Addr: e.MR.Addr(), Len: 8, Key: e.MR.LKey()} }
			receive := func() {
				t.Helper()
				if err := b.QP.PostRecv(hca.RecvWR{Local: seg(b)}); err != nil {
					t.Fatal(err)
				}
			}
			for range 3 {
				if err := a.QP.PostSend(hca.SendWR{Op: hca.OpSend, Local: seg(a)}); err != nil {
					t.Fatal(err)
				}
			}
			for range 2 { // the first follows the arming with which a connection begins
				if n := b.RecvCQ.Poll(wcs[:]); n != 0 {
					t.Fatalf("%d entries, and there is no receive", n)
				}
			}
			receive()
			softtest.Await(t, b.RecvCQ)
			if n := b.RecvCQ.Poll(wcs[:1]); n != 1 {
				t.Fatal("there is nothing any more")
			}
			b.RecvCQ.Poll(wcs[:])
			receive()
			if err := b.RecvCQ.Arm(); err != nil {
				t.Fatal(err)
			}
			softtest.Await(t, b.RecvCQ)
			b.RecvCQ.Poll(wcs[:])
			if err := b.RecvCQ.Arm(); err != nil {
				t.Fatal(err)
			}
			receive()
			softtest.Await(t, b.RecvCQ)
		})
	}
}
