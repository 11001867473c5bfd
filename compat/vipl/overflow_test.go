package vipl_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/godapl/godapl/compat/vipl"
)

// TestOverflow: more descriptors complete than the completion queue has entries. The handler hears
// of that queue, the VI is in the state Error, and every descriptor comes back.
func TestOverflow(t *testing.T) {
	for _, queue := range []string{"receive", "send"} {
		t.Run(queue, func(t *testing.T) {
			everywhere(t, func(t *testing.T, name string) {
				if !strings.HasPrefix(name, "soft") {
					t.Skip("a device's queue may hold more than was asked for: when it overflows is not known")
				}
				overflow(t, name, queue == "send")
			})
		})
	}
}

func overflow(t *testing.T, name string, sends bool) {
	a, b := newNIC(t, name), newSide(t, name)
	var other, cq vipl.CQHandle
	ok(t, vipl.CreateCQ(a.nic, 64, &other))
	ok(t, vipl.CreateCQ(a.nic, 2, &cq))
	a.attrs = usual()
	a.attrs.Ptag = a.ptag
	sendCQ, recvCQ, done := other, cq, vipl.RecvDone
	if sends {
		sendCQ, recvCQ, done = cq, other, vipl.SendDone
	}
	ok(t, vipl.CreateVi(a.nic, &a.attrs, sendCQ, recvCQ, &a.vi))
	const n = 20
	left := map[*vipl.Descriptor]bool{}
	for range n {
		if !sends {
			left[a.postRecv(a.desc(0))] = true
		}
		b.postRecv(b.desc(0))
	}
	connect(a, b)
	for range n {
		if sends {
			left[a.postSend(a.desc(0))] = true
		} else {
			b.postSend(b.desc(0))
		}
	}
	a.overruns(cq)
	ok(t, vipl.Disconnect(a.vi))
	b.hears(vipl.ErrorConnLost)
	ok(t, vipl.Disconnect(b.vi))
	good := 0
	for range n {
		a.entry(cq, !sends)
		var d *vipl.Descriptor
		ret := done(a.vi, &d)
		switch {
		case ret == vipl.Success:
			good++
		case ret != vipl.DescriptorError || d.CS.Status&vipl.StatusErrorMask != vipl.StatusDescFlushedError:
			t.Fatalf("%d are left: %v, descriptor %v", len(left), ret, d)
		}
		if !left[d] {
			t.Fatalf("a descriptor for the second time, %d are left", len(left))
		}
		delete(left, d)
	}
	if good == n {
		t.Error("nothing was lost")
	}
	var d *vipl.Descriptor
	want(t, done(a.vi, &d), vipl.NotDone)
	ok(t, vipl.DestroyVi(a.vi))
	ok(t, vipl.DestroyCQ(cq))
	ok(t, vipl.DestroyCQ(other))
}

// overruns waits until the handler hears that the queue was full. The end of the connection may be
// reported first.
func (s *side) overruns(cq vipl.CQHandle) {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), second*time.Millisecond)
	defer cancel()
	for {
		select {
		case p := <-s.errors:
			if p.code == vipl.ErrorConnLost {
				continue
			}
			if p.desc != (vipl.ErrorDescriptor{NicHandle: s.nic, CQHandle: cq, ResourceCode: vipl.ResourceCQ, ErrorCode: vipl.ErrorVIOverrun}) {
				s.t.Fatalf("the handler got %+v, and the queue is %#x", p.desc, cq)
			}
			return
		case <-ctx.Done():
			s.t.Fatal("nobody has heard of an overflow")
		}
	}
}
