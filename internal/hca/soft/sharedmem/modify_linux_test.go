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
