package stream_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft"
	"github.com/godapl/godapl/internal/hca/soft/softtest"
	"github.com/godapl/godapl/internal/iwarp"
)

// waitingMessages is a connection over which the peer has sent messages without receives. Its queue has been
// polled.
func waitingMessages(t *testing.T, messages int) *softtest.Lone {
	l, c := softtest.Joined(t, true, hca.Options{ReceiveWait: time.Hour})
	l.Poll("nothing has come", 0)
	var stream []byte
	for i := range messages {
		var fpdu [64]byte
		stream = append(stream, iwarp.PutWholeSend(fpdu[:], iwarp.OpSend, iwarp.FirstMSN+iwarp.MSN(i), []byte("8 bytes!"), true)...)
	}
	go c.Write(stream)
	synctest.Wait()
	l.Poll("there is no receive", 0)
	synctest.Wait()
	return l
}

// TestWaitingMessageIsFetchedByWhoPolls: the polling goroutine fetches it, and no other.
func TestWaitingMessageIsFetchedByWhoPolls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := waitingMessages(t, 100)
		before := soft.AllStats()
		for range 20 {
			for range 5 {
				l.Receive()
			}
			l.Ready("it has been posted only", false)
			l.Poll("it has been posted", 5)
		}
		if jobs := soft.AllStats().Since(before).Jobs; jobs != 0 {
			t.Errorf("the engine ran %d times", jobs)
		}
	})
}

// TestWaitingMessageOfWhoDoesNotPoll: a goroutine that posts a receive may then do something else, or sleep.
func TestWaitingMessageOfWhoDoesNotPoll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := waitingMessages(t, 2)
		l.Receive()
		<-time.After(2500 * time.Microsecond) // of the bubble: two rounds of the watch
		l.Ready("nobody polls any more", true)
	})
	synctest.Test(t, func(t *testing.T) {
		l := waitingMessages(t, 1)
		<-time.After(time.Second) // the watch has released it
		l.Receive()
		<-time.After(2500 * time.Microsecond)
		l.Ready("nobody has polled for long", true)
	})
	synctest.Test(t, func(t *testing.T) {
		l := waitingMessages(t, 2)
		l.Receive()
		l.Arm()
		l.Ready("who has posted arms", true)
		l.Poll("it has come", 1)
		l.Arm()
		l.Receive()
		l.Ready("who has armed posts", true)
	})
	synctest.Test(t, func(t *testing.T) {
		l := waitingMessages(t, 1)
		l.Receive()
		l.Poll("it has come", 1)
		l.Receive()
		<-time.After(5 * time.Millisecond)
		l.Ready("there is none", false)
	})
}
