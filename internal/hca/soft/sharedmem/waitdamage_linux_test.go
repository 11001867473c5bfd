package sharedmem_test

import (
	"encoding/binary"
	"testing"
	"time"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/sharedmem"
	"github.com/godapl/godapl/internal/hca/soft/softtest"
)

// TestShmDamageBesideAMessageThatWaits: a message waits for a receive, and the peer says that it has taken more responses
// than there were. That ends the connection. It is not taken for a reason to look at the message again and again.
func TestShmDamageBesideAMessageThatWaits(t *testing.T) {
	opt := hca.Options{ReceiveWait: time.Hour}
	a, b := softtest.NewEndWith(t, "shm", 8, 64, opt), softtest.NewEndWith(t, "shm", 8, 64, opt)
	softtest.Join(t, a, b)
	run, release := sharedmem.HoldRx(a.QP)
	if err := b.QP.PostSend(hca.SendWR{Op: hca.OpSend, Local: hca.Segment{Addr: b.MR.Addr(), Len: 8, Key: b.MR.LKey()}}); err != nil {
		t.Fatal(err)
	}
	run()
	at := sharedmem.TakenAnswers(a.QP)
	sharedmem.Scribble(a.QP, func(shared []byte) { binary.NativeEndian.PutUint64(shared[at:], 1<<40) })
	if run() {
		t.Error("the message is to be looked at again")
	}
	release()
	if wc := softtest.PollN(t, b.SendCQ, 1)[0]; wc.Status == hca.StatusOK {
		t.Error("the message has arrived")
	}
}
