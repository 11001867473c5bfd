package sharedmem_test

import (
	"bytes"
	"testing"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/softtest"
)

// withRights registers n bytes of one value at an end, with some of the rights. more gives the region all of them.
func withRights(t *testing.T, e *softtest.End, n int, value byte, access hca.Access) (mr hca.MR, mem []byte, more func()) {
	t.Helper()
	mem = bytes.Repeat([]byte{value}, n)
	mr, err := e.PD.Register(hca.Memory{Bytes: mem}, access)
	if err != nil {
		t.Fatal(err)
	}
	return mr, mem, func() {
		t.Helper()
		if err := mr.(hca.Modifier).Modify(hca.AllAccess); err != nil {
			t.Fatal(err)
		}
	}
}

// TestShmMoreRightsUnderAnAccess: the peer's region gets more rights while a long read of it is under way, or a long
// write to it. What these need is allowed as before.
func TestShmMoreRightsUnderAnAccess(t *testing.T) {
	const size = 32 << 20
	for _, op := range []hca.Op{hca.OpRead, hca.OpWrite} {
		a, b := softtest.Connect(t, "shm", 8, 4096)
		far, theirs, more := withRights(t, b, size, 'x', hca.LocalRead|hca.LocalWrite|remoteRight(op))
		near, ours, _ := withRights(t, a, size, 'y', hca.LocalRead|hca.LocalWrite)
		if err := a.QP.PostSend(hca.SendWR{ID: 1, Op: op, Local: hca.Segment{Addr: near.Addr(), Len: size, Key: near.LKey()}, Remote: far.Addr(), RKey: far.RKey()}); err != nil {
			t.Fatal(err)
		}
		more()
		if wc := softtest.PollN(t, a.SendCQ, 1)[0]; wc.Status != hca.StatusOK || !bytes.Equal(ours, theirs) {
			t.Errorf("%v: %v", op, wc.Status)
		}
	}
}

func remoteRight(op hca.Op) hca.Access {
	if op == hca.OpRead {
		return hca.RemoteRead
	}
	return hca.RemoteWrite
}

// TestShmOtherRightsUnderAMessage: the memory of a long message gets other rights before the peer fetches it, and
// meanwhile. As long as it can be read, the message arrives.
func TestShmOtherRightsUnderAMessage(t *testing.T) {
	const size, rounds = 4 << 20, 40
	a, b := softtest.Connect(t, "shm", 8, 4096)
	mr, mem, _ := withRights(t, a, size, 'x', hca.AllAccess)
	into, theirs, _ := withRights(t, b, size, 'y', hca.LocalWrite)
	modify := func(access hca.Access) {
		if err := mr.(hca.Modifier).Modify(access); err != nil {
			t.Error(err)
		}
	}
	rights := []hca.Access{hca.LocalRead, hca.AllAccess, hca.LocalRead | hca.RemoteRead}
	for i := range rounds {
		clear(theirs)
		if err := a.QP.PostSend(hca.SendWR{ID: 1, Op: hca.OpSend, Local: hca.Segment{Addr: mr.Addr(), Len: size, Key: mr.LKey()}}); err != nil {
			t.Fatal(err)
		}
		modify(rights[i%len(rights)])
		if err := b.QP.PostRecv(hca.RecvWR{ID: 2, Local: hca.Segment{Addr: into.Addr(), Len: size, Key: into.LKey()}}); err != nil {
			t.Fatal(err)
		}
		stop, done := make(chan struct{}), make(chan struct{})
		go func() {
			defer close(done)
			for k := 0; ; k++ {
				select {
				case <-stop:
					return
				default:
					modify(rights[k%len(rights)])
				}
			}
		}()
		received := softtest.PollN(t, b.RecvCQ, 1)[0]
		sent := softtest.PollN(t, a.SendCQ, 1)[0]
		close(stop)
		<-done
		if received.Status != hca.StatusOK || sent.Status != hca.StatusOK || !bytes.Equal(mem, theirs) {
			t.Fatalf("round %d: received %v, sent %v", i, received.Status, sent.Status)
		}
	}
}

// TestShmNoMoreReadUnderAMessage: memory that can no longer be read is not sent.
func TestShmNoMoreReadUnderAMessage(t *testing.T) {
	const size = 1 << 20
	a, b := softtest.Connect(t, "shm", 8, 4096)
	mr, _, _ := withRights(t, a, size, 'x', hca.AllAccess)
	into, _, _ := withRights(t, b, size, 'y', hca.LocalWrite)
	if err := a.QP.PostSend(hca.SendWR{ID: 1, Op: hca.OpSend, Local: hca.Segment{Addr: mr.Addr(), Len: size, Key: mr.LKey()}}); err != nil {
		t.Fatal(err)
	}
	if err := mr.(hca.Modifier).Modify(hca.LocalWrite); err != nil {
		t.Fatal(err)
	}
	if err := b.QP.PostRecv(hca.RecvWR{ID: 2, Local: hca.Segment{Addr: into.Addr(), Len: size, Key: into.LKey()}}); err != nil {
		t.Fatal(err)
	}
	if wc := softtest.PollN(t, a.SendCQ, 1)[0]; wc.Status != hca.StatusLocalProtection {
		t.Errorf("sent: %v", wc.Status)
	}
	if wc := softtest.PollN(t, b.RecvCQ, 1)[0]; wc.Status == hca.StatusOK {
		t.Errorf("received: %v", wc.Status)
	}
}
