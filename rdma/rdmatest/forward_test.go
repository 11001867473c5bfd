package rdmatest_test

import (
	"errors"
	"testing"
	"testing/synctest"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mem"
	"github.com/godapl/godapl/rdma/rdmatest"
)

// optional lists which optional interfaces of the contract the objects of an adapter have.
func optional(t *testing.T, name string) map[string]bool {
	a, err := hca.Drivers()[name].Open(ctx, name, hca.Options{})
	must(t, err)
	defer a.Close()
	cq, err := a.NewCQ(hca.CQConfig{Depth: 8})
	must(t, err)
	pd, err := a.NewPD()
	must(t, err)
	qp, err := a.NewQP(hca.QPConfig{PD: pd, SendCQ: cq, RecvCQ: cq, SendDepth: 1, RecvDepth: 1, SendSGE: 1, RecvSGE: 1, Record: true, Event: func(hca.ConnEvent) {}})
	must(t, err)
	mr, err := pd.Register(hca.Memory{Bytes: make([]byte, 8)}, hca.LocalRead)
	must(t, err)
	has := map[string]bool{}
	_, has["Peeker"] = cq.(hca.Peeker)
	_, has["Pusher"] = cq.(hca.Pusher)
	_, has["Sentry"] = cq.(hca.Sentry)
	_, has["Parker"] = cq.(hca.Parker)
	_, has["DescriptorArmer"] = cq.(hca.DescriptorArmer)
	_, has["CQStatsReader"] = cq.(hca.CQStatsReader)
	_, has["QPStatsReader"] = qp.(hca.QPStatsReader)
	_, has["Settler"] = qp.(hca.Settler)
	_, has["Crowded"] = cq.(hca.Crowded)
	_, has["FlightReader"] = qp.(hca.FlightReader)
	_, has["PlainPoster"] = qp.(hca.PlainPoster)
	_, has["Modifier"] = mr.(hca.Modifier)
	_, has["Adopter"] = pd.(hca.Adopter)
	m, ok := pd.(hca.Mapper)
	has["Mapper"] = ok
	has["peers map"] = ok && m.PeersMap()
	s, ok := cq.(hca.Sentry)
	has["shares memory"] = ok && s.SharesMemory()
	return has
}

// TestNothingIsHidden: the objects have what those of the adapter below have.
func TestNothingIsHidden(t *testing.T) {
	for _, below := range []string{"soft-loop", "soft-tcp", "soft"} {
		remove, err := rdmatest.RegisterFaulty("test-open", below, &rdmatest.Faults{})
		must(t, err)
		got, want := optional(t, "test-open"), optional(t, below)
		for what, has := range want {
			if got[what] != has {
				t.Errorf("over %s, %s is %v, want %v", below, what, got[what], has)
			}
		}
		remove()
	}
}

// TestWorldsCount: the counters of connections and queues and the flight recorder work in a world. An operation that
// the world has made fail counts as failed.
func TestWorldsCount(t *testing.T) {
	t.Setenv("GODAPL_FLIGHT", "1")
	synctest.Test(t, func(t *testing.T) {
		w := rdmatest.NewWorld(t, 1)
		server, client := w.Host("server"), w.Host("client")
		a, b := joined(t, w, server, client)
		x, err := a.Zone().Alloc(64, mem.All)
		must(t, err)
		y, err := b.Zone().Alloc(64, mem.All)
		must(t, err)
		for range 3 {
			_, err = a.Read(w.Context(), x.Slice(0, 64), y.Slice(0, 64).Remote())
			must(t, err)
		}
		w.Fail(rdma.OpRead, rdma.StatusRemoteAccess, rdmatest.Nth(1))
		if _, err = a.Read(w.Context(), x.Slice(0, 64), y.Slice(0, 64).Remote()); err == nil {
			t.Error("it was to fail")
		}
		<-a.Context().Done()
		s := a.Stats()
		if got := s.Ops[rdma.OpRead]; got.Operations != 3 || got.Bytes != 3*64 || s.Completions[rdma.StatusOK] != 3 || s.Completions[rdma.StatusRemoteAccess] != 1 {
			t.Errorf("the connection counts %+v, %v", got, s.Completions)
		}
		if q := a.Zone().Adapter().Stats().Queues; q.Taken < 4 {
			t.Errorf("the queues count %+v", q)
		}
		reads := 0
		for _, e := range a.Flight() {
			if e.Op == rdma.OpRead {
				reads++
			}
		}
		if reads < 4 {
			t.Errorf("the flight recorder has %d events of reads: %v", reads, a.Flight())
		}
	})
}

// TestADialThatFailsFlushes the receives of its queue pair, as any does.
func TestADialThatFailsFlushes(t *testing.T) {
	f := &rdmatest.Faults{}
	remove, err := rdmatest.RegisterFaulty("test-dial", "soft-tcp", f)
	must(t, err)
	defer remove()
	a, err := hca.Drivers()["test-dial"].Open(ctx, "test-dial", hca.Options{})
	must(t, err)
	defer a.Close()
	cq, err := a.NewCQ(hca.CQConfig{Depth: 8})
	must(t, err)
	pd, err := a.NewPD()
	must(t, err)
	qp, err := a.NewQP(hca.QPConfig{PD: pd, SendCQ: cq, RecvCQ: cq, SendDepth: 1, RecvDepth: 1, SendSGE: 1, RecvSGE: 1, Event: func(hca.ConnEvent) {}})
	must(t, err)
	must(t, qp.PostRecv(hca.RecvWR{ID: 5}))
	f.Set(rdmatest.Dial, rdma.ErrUnreachable)
	if err := qp.Connect(ctx, "127.0.0.1:1", hca.ConnParams{}); !errors.Is(err, rdma.ErrUnreachable) {
		t.Errorf("it failed with %v", err)
	}
	var wcs [2]hca.WC
	if n := cq.Poll(wcs[:]); n != 1 || wcs[0].ID != 5 || wcs[0].Status != hca.StatusFlushed {
		t.Errorf("%d entries, %v", n, wcs[0].Status)
	}
}
