package fakeibv_test

import (
	"net/netip"
	"testing"
	"testing/synctest"

	"github.com/godapl/godapl/internal/hca/verbs/fakeibv"
	"github.com/godapl/godapl/internal/hca/verbs/ibv"
)

// raw is a stepped world that a test calls as the adapter does.
type raw struct {
	*testing.T
	w   *fakeibv.World
	lib *ibv.Lib
	ctx ibv.Context
}

func newRaw(t *testing.T) *raw {
	w := fakeibv.New(fakeibv.Config{Stepped: true})
	t.Cleanup(w.Close)
	list, e := w.Lib().GetDevices()
	r := &raw{t, w, w.Lib(), list.Contexts[0]}
	r.no(e)
	return r
}

func (r *raw) no(e ibv.Errno) {
	r.Helper()
	if e != 0 {
		r.Fatal(e)
	}
}

func (r *raw) want(what string, got, want ibv.Errno) {
	r.Helper()
	if got != want {
		r.Errorf("%s: %v, want %v", what, got, want)
	}
}

func have[T any](v T, e ibv.Errno) func(*raw) T {
	return func(r *raw) T {
		r.Helper()
		r.no(e)
		return v
	}
}

// bound is an identifier on the device.
func (r *raw) bound(ch ibv.EventChannel) ibv.ID {
	id := have(r.lib.CreateID(ch, 0, ibv.PortSpaceTCP))(r)
	r.no(r.lib.BindAddr(id, netip.AddrPortFrom(r.w.Addrs()[0], 0)))
	return id
}

// What others use is not destroyed.
func TestInUse(t *testing.T) {
	r := newRaw(t)
	lib := r.lib
	pd := have(lib.AllocPD(r.ctx))(r)
	comp := have(lib.CreateCompChannel(r.ctx))(r)
	cq := have(lib.CreateCQ(r.ctx, 4, 0, comp, 0))(r)
	srq := have(lib.CreateSRQ(pd, &ibv.SRQInitAttr{Attr: ibv.SRQAttr{MaxWR: 4, MaxSGE: 1}}))(r)
	ch := have(lib.CreateEventChannel())(r)
	id := r.bound(ch)
	r.no(lib.CreateQP(id, pd, &ibv.QPInitAttr{SendCQ: cq, RecvCQ: cq, SRQ: srq, Type: ibv.QPTypeRC}))

	r.want("a completion queue with a queue pair", lib.DestroyCQ(cq), ibv.EBUSY)
	r.want("a shared receive queue with a queue pair", lib.DestroySRQ(srq), ibv.EBUSY)
	r.want("a completion channel with a queue", lib.DestroyCompChannel(comp), ibv.EBUSY)
	r.want("a protection domain with a queue pair", lib.DeallocPD(pd), ibv.EBUSY)
	r.no(lib.DestroyQP(id.TakeQP()))
	r.no(lib.DestroySRQ(srq))
	r.no(lib.DestroyCQ(cq))
	r.no(lib.DestroyCompChannel(comp))
	r.no(lib.DeallocPD(pd))
	r.no(lib.DestroyID(id))
	lib.DestroyEventChannel(ch)
	if left := r.w.Left(); len(left) > 0 {
		t.Errorf("left: %q", left)
	}
	if f := r.w.Faults(); len(f) > 0 {
		t.Errorf("faults of right calls: %q", f)
	}
}

// What real libraries do not survive is noted.
func TestFaults(t *testing.T) {
	for name, wrong := range map[string]func(r *raw){
		"a domain that is gone": func(r *raw) {
			pd := have(r.lib.AllocPD(r.ctx))(r)
			r.no(r.lib.DeallocPD(pd))
			r.want("again", r.lib.DeallocPD(pd), ibv.EINVAL)
		},
		"acknowledging what was not read": func(r *raw) {
			cq := have(r.lib.CreateCQ(r.ctx, 4, 0, 0, 0))(r)
			r.lib.AckCQEvents(cq, 1)
		},
		"a channel with identifiers": func(r *raw) {
			ch := have(r.lib.CreateEventChannel())(r)
			r.bound(ch)
			r.lib.DestroyEventChannel(ch)
		},
		"an identifier with a queue pair": func(r *raw) {
			pd, ch := have(r.lib.AllocPD(r.ctx))(r), have(r.lib.CreateEventChannel())(r)
			cq, id := have(r.lib.CreateCQ(r.ctx, 4, 0, 0, 0))(r), r.bound(ch)
			r.no(r.lib.CreateQP(id, pd, &ibv.QPInitAttr{SendCQ: cq, RecvCQ: cq, Type: ibv.QPTypeRC}))
			r.no(r.lib.DestroyID(id))
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRaw(t)
			wrong(r)
			if f := r.w.Faults(); len(f) != 1 {
				t.Errorf("faults %q, want one", f)
			}
		})
	}
}

// An identifier is destroyed when its events are acknowledged, not before.
func TestUnacknowledged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRaw(t)
		ch := have(r.lib.CreateEventChannel())(r)
		id := r.bound(ch)
		r.no(r.lib.ResolveAddr(id, netip.AddrPort{}, netip.AddrPortFrom(r.w.Addrs()[0], 7), 100))
		if _, e := r.lib.GetCMEvent(ch); e != ibv.EAGAIN {
			t.Fatalf("an event before a step: %v", e)
		}
		if !r.w.Step() || r.w.Step() {
			t.Fatal("want one step")
		}
		ev := have(r.lib.GetCMEvent(ch))(r)
		gone := make(chan ibv.Errno, 1)
		go func() { gone <- r.lib.DestroyID(id) }()
		synctest.Wait()
		select {
		case e := <-gone:
			t.Fatalf("destroyed before the acknowledgement: %v", e)
		default:
		}
		r.no(r.lib.AckCMEvent(ev))
		r.no(<-gone)
	})
}
