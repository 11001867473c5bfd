package vipl_test

import (
	"testing"

	"github.com/godapl/godapl/compat/vipl"
)

// TestExactQueueWhileAPeerIsSought looks for a peer with as many receives as the completion queue has entries: none of
// the attempts leaves anything there.
func TestExactQueueWhileAPeerIsSought(t *testing.T) {
	everywhere(t, func(t *testing.T, name string) {
		const n = 8
		a, b := newSide(t, name), newSide(t, name)
		var cq vipl.CQHandle
		ok(t, vipl.CreateCQ(a.nic, n, &cq))
		ok(t, vipl.DestroyVi(a.vi))
		ok(t, vipl.CreateVi(a.nic, &a.attrs, 0, cq, &a.vi))
		var descs [n]*vipl.Descriptor
		for i := range descs {
			descs[i] = a.postRecv(a.desc(0))
		}
		one, two := a.address(), b.address() // the smaller address connects
		ok(t, vipl.ConnectPeerRequest(a.vi, one, two, second))
		var got *vipl.Descriptor
		want(t, vipl.SendWait(a.vi, 50, &got), vipl.Timeout) // it has tried several times meanwhile
		ok(t, vipl.ConnectPeerRequest(b.vi, two, one, second))
		ok(t, vipl.ConnectPeerWait(a.vi, nil))
		ok(t, vipl.ConnectPeerWait(b.vi, nil))
		for _, d := range descs {
			b.sent(b.postSend(b.desc(0)), vipl.StatusOpSend)
			var vi vipl.VIHandle
			var recv bool
			ok(t, vipl.CQWait(cq, second, &vi, &recv))
			ret := vipl.RecvDone(a.vi, &got)
			a.completed(ret, got, d, vipl.StatusOpReceive)
		}
	})
}
