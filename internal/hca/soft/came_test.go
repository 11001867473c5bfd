package soft_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft"
	"github.com/godapl/godapl/internal/iwarp"
)

// waitingMessages is a connection over which the peer has sent so many messages, for
// which there are no receives. Its queue has been polled.
func waitingMessages(t *testing.T, messages int) *lone {
	l, c := joined(t, true, hca.Options{ReceiveWait: time.Hour})
	l.poll("nothing has come", 0)
	var stream []byte
	for i := range messages {
		var fpdu [64]byte
		stream = append(stream, iwarp.PutWholeSend(fpdu[:], iwarp.OpSend, iwarp.FirstMSN+iwarp.MSN(i), []byte("8 octets"), true)...)
	}
	go c.Write(stream)
	synctest.Wait()
	l.poll("there is no receive", 0)
	synctest.Wait()
	return l
}

func (l *lone) poll(when string, want int) {
	l.t.Helper()
	var wc [16]hca.WC
	if n := l.cq.Poll(wc[:]); n != want {
		l.t.Errorf("%s: %d entries, want %d", when, n, want)
	}
}

func (l *lone) receive() {
	l.t.Helper()
	if err := l.qp.PostRecv(hca.RecvWR{Local: l.seg(8)}); err != nil {
		l.t.Fatal(err)
	}
}

// ready checks whether there are entries once nothing moves any more, without a poll,
// which would fetch some.
func (l *lone) ready(when string, want bool) {
	l.t.Helper()
	synctest.Wait()
	if got := l.cq.(hca.Peeker).Ready(); got != want {
		l.t.Errorf("%s: there are entries: %v, want %v", when, got, want)
	}
}

// TestWaitingMessageIsFetchedByWhoPolls: whoever polls, and nobody beside them.
func TestWaitingMessageIsFetchedByWhoPolls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := waitingMessages(t, 100)
		before := soft.AllRounds()
		for range 20 {
			for range 5 {
				l.receive()
			}
			l.ready("it has been posted only", false)
			l.poll("it has been posted", 5)
		}
		if jobs := soft.AllRounds().Since(before).Jobs; jobs != 0 {
			t.Errorf("the engine ran %d times", jobs)
		}
	})
}

// TestWaitingMessageOfWhoDoesNotPoll: whoever posts a receive may do something else then,
// or sleep.
func TestWaitingMessageOfWhoDoesNotPoll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := waitingMessages(t, 2)
		l.receive()
		<-time.After(2500 * time.Microsecond) // of the bubble: two rounds of the watch
		l.ready("nobody polls any more", true)
	})
	synctest.Test(t, func(t *testing.T) {
		l := waitingMessages(t, 1)
		<-time.After(time.Second) // the watch has let go of it
		l.receive()
		<-time.After(2500 * time.Microsecond)
		l.ready("nobody has polled for long", true)
	})
	synctest.Test(t, func(t *testing.T) {
		l := waitingMessages(t, 2)
		l.receive()
		l.arm()
		l.ready("who has posted arms", true)
		l.poll("it has come", 1)
		l.arm()
		l.receive()
		l.ready("who has armed posts", true)
	})
	synctest.Test(t, func(t *testing.T) {
		l := waitingMessages(t, 1)
		l.receive()
		l.poll("it has come", 1)
		l.receive()
		<-time.After(5 * time.Millisecond)
		l.ready("there is none", false)
	})
}

func (l *lone) arm() {
	l.t.Helper()
	if err := l.cq.Arm(); err != nil {
		l.t.Fatal(err)
	}
}
