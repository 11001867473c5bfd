package vipl_test

import (
	"testing"

	"github.com/godapl/godapl/compat/vipl"
)

// shared is a side whose VI has one completion queue for both of its work queues.
func shared(t testing.TB, name string) (s *side, cq vipl.CQHandle) {
	t.Helper()
	s = newNIC(t, name)
	s.attrs = usual()
	s.attrs.Ptag = s.ptag
	ok(t, vipl.CreateCQ(s.nic, 64, &cq))
	ok(t, vipl.CreateVi(s.nic, &s.attrs, cq, cq, &s.vi))
	return s, cq
}

func (s *side) entry(cq vipl.CQHandle, recv bool) {
	s.t.Helper()
	var vi vipl.VIHandle
	var q bool
	ok(s.t, vipl.CQWait(cq, second, &vi, &q))
	if vi != s.vi || q != recv {
		s.t.Fatalf("VI %#x of %#x, receive queue %v, want %v", vi, s.vi, q, recv)
	}
}

func (s *side) taken(take func(vipl.VIHandle, **vipl.Descriptor) vipl.Return, d *vipl.Descriptor, status uint32) {
	s.t.Helper()
	var got *vipl.Descriptor
	s.completed(take(s.vi, &got), got, d, status)
}

func TestCompletionQueue(t *testing.T) {
	everywhere(t, func(t *testing.T, name string) {
		a, cq := shared(t, name)
		b := newSide(t, name)
		r1 := a.postRecv(a.desc(0))
		r2 := a.postRecv(a.desc(0))
		r3 := a.postRecv(a.desc(0))
		connect(a, b)
		var vi vipl.VIHandle
		var recv bool
		want(t, vipl.CQDone(cq, &vi, &recv), vipl.NotDone)
		want(t, vipl.CQWait(cq, 1, &vi, &recv), vipl.Timeout)
		var d *vipl.Descriptor
		want(t, vipl.RecvWait(a.vi, 1, &d), vipl.ErrorResource)
		want(t, vipl.RecvNotify(a.vi, nil, func(any, vipl.NICHandle, vipl.VIHandle, *vipl.Descriptor) {}), vipl.ErrorResource)

		b.sent(b.postSend(b.desc(0)), 0)
		b.sent(b.postSend(b.desc(0)), 0)
		a.entry(cq, true)
		a.taken(vipl.RecvDone, r1, vipl.StatusOpReceive)
		a.entry(cq, true)
		a.taken(vipl.RecvDone, r2, vipl.StatusOpReceive)

		// A descriptor that never reaches the adapter has its entry, too, in order.
		in := b.postRecv(b.desc(0))
		good := a.postSend(a.desc(0))
		bad := a.postSend(a.desc(vipl.ControlOpReserved))
		a.entry(cq, false)
		a.taken(vipl.SendDone, good, 0)
		b.received(in, vipl.StatusOpReceive)
		for n := range 2 { // the bad one, and the receive that is flushed with the connection
			ok(t, vipl.CQWait(cq, second, &vi, &recv))
			switch recv {
			case true:
				a.taken(vipl.RecvDone, r3, vipl.StatusOpReceive|vipl.StatusDescFlushedError)
			case false:
				a.taken(vipl.SendDone, bad, vipl.StatusFormatError)
			}
			_ = n
		}
		want(t, vipl.CQDone(cq, &vi, &recv), vipl.NotDone)
		want(t, vipl.DestroyCQ(cq), vipl.ErrorResource)
		ok(t, vipl.Disconnect(a.vi))
		ok(t, vipl.DestroyVi(a.vi))
		ok(t, vipl.DestroyCQ(cq))
		want(t, vipl.CQDone(cq, &vi, &recv), vipl.InvalidParameter)
	})
}

// TestDoneWithoutCQDone: a descriptor can be taken before its entry, which stays.
func TestDoneWithoutCQDone(t *testing.T) {
	everywhere(t, func(t *testing.T, name string) {
		a, cq := shared(t, name)
		b := newSide(t, name)
		r := a.postRecv(a.desc(0))
		connect(a, b)
		b.sent(b.postSend(b.desc(0)), 0)
		var d *vipl.Descriptor
		for vipl.RecvDone(a.vi, &d) == vipl.NotDone {
		}
		a.completed(vipl.Success, d, r, vipl.StatusOpReceive)
		a.entry(cq, true)
		want(t, vipl.RecvDone(a.vi, &d), vipl.NotDone)
	})
}

func TestCQNotifyAndResize(t *testing.T) {
	everywhere(t, func(t *testing.T, name string) {
		a, cq := shared(t, name)
		b := newSide(t, name)
		r := a.postRecv(a.desc(0))
		connect(a, b)
		calls := make(chan bool, 1)
		ok(t, vipl.CQNotify(cq, "x", func(c any, n vipl.NICHandle, v vipl.VIHandle, recv bool) {
			calls <- c == "x" && n == a.nic && v == a.vi && recv
		}))
		b.sent(b.postSend(b.desc(0)), 0)
		if !<-calls {
			t.Fatal("a call for something else")
		}
		a.taken(vipl.RecvDone, r, vipl.StatusOpReceive)
		if ret := vipl.ResizeCQ(cq, 128); ret != vipl.ErrorNotSupported || !device(name) {
			ok(t, ret)
		}
		want(t, vipl.ResizeCQ(cq, 0), vipl.InvalidParameter)
		for range 3 {
			a.sent2(a.postSend(a.desc(vipl.ControlOpRdmawrite, far(b.mem, b.mem.b))), cq)
		}
	})
}

func (s *side) sent2(d *vipl.Descriptor, cq vipl.CQHandle) {
	s.t.Helper()
	s.entry(cq, false)
	s.taken(vipl.SendDone, d, vipl.StatusOpRDMAWrite)
}
