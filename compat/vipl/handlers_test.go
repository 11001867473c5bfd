package vipl_test

import (
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/godapl/godapl/compat/vipl"
)

// TestHandlersOfErrors: two connections end, and the handler, which makes calls itself, is never
// inside twice.
func TestHandlersOfErrors(t *testing.T) {
	everywhere(t, func(t *testing.T, name string) {
		a, b := newNIC(t, name), newNIC(t, name)
		var inside atomic.Int32
		heard := make(chan vipl.VIHandle, 8)
		ok(t, vipl.ErrorCallback(a.nic, nil, func(_ any, d *vipl.ErrorDescriptor) {
			if inside.Add(1) != 1 {
				t.Error("the handler is called while it runs")
			}
			defer inside.Add(-1)
			if d.NicHandle != a.nic || d.ResourceCode != vipl.ResourceVI || d.ErrorCode != vipl.ErrorConnLost {
				t.Errorf("%+v", d)
			}
			for range 100 { // another call of it could begin
				runtime.Gosched()
			}
			if ret := vipl.Disconnect(d.ViHandle); ret != vipl.Success {
				t.Error(ret)
			}
			heard <- d.ViHandle
		}))
		ends := map[vipl.VIHandle]bool{}
		var far []vipl.VIHandle
		for range 4 {
			x, y := *a, *b
			for _, s := range []*side{&x, &y} {
				s.attrs = usual()
				s.attrs.Ptag = s.ptag
				ok(t, vipl.CreateVi(s.nic, &s.attrs, 0, 0, &s.vi))
			}
			connect(&x, &y)
			ends[x.vi] = true
			far = append(far, y.vi)
		}
		for _, vi := range far {
			ok(t, vipl.Disconnect(vi))
		}
		for range far {
			vi := <-heard
			if !ends[vi] {
				t.Fatalf("VI %#x is none of these, or is told twice", vi)
			}
			delete(ends, vi)
		}
	})
}

// TestCloseNicWaitsForHandlers that are running.
func TestCloseNicWaitsForHandlers(t *testing.T) {
	a, b := pair(t, "soft-loop")
	a.postRecv(a.desc(0))
	entered, goOn, left := make(chan struct{}), make(chan struct{}), false
	ok(t, vipl.RecvNotify(a.vi, nil, func(any, vipl.NICHandle, vipl.VIHandle, *vipl.Descriptor) {
		close(entered)
		<-goOn
		left = true
	}))
	b.sent(b.postSend(b.desc(0)), 0)
	<-entered
	closed := make(chan vipl.Return)
	go func() {
		ret := vipl.CloseNic(a.nic)
		if !left {
			t.Error("CloseNic has returned, and the handler has not")
		}
		closed <- ret
	}()
	var q vipl.NICAttributes
	for vipl.QueryNic(a.nic, &q) == vipl.Success { // until CloseNic has begun
		runtime.Gosched()
	}
	for range 1000 { // a CloseNic that does not wait could return
		runtime.Gosched()
	}
	close(goOn)
	ok(t, <-closed)
	want(t, vipl.RecvNotify(a.vi, nil, func(any, vipl.NICHandle, vipl.VIHandle, *vipl.Descriptor) {}), vipl.InvalidParameter)
}
