package rdmatest_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mem"
	"github.com/godapl/godapl/rdma/rdmatest"
)

// TestAnyOperationFails with any status, at the n-th time: those before succeed, those behind are flushed, and both
// ends learn that the connection is broken.
func TestAnyOperationFails(t *testing.T) {
	ops := map[rdma.Op]func(e *rdma.Endpoint, m mem.Slice, at mem.Remote, cookie uint64, f rdma.Flags) error{
		rdma.OpSend: func(e *rdma.Endpoint, m mem.Slice, _ mem.Remote, cookie uint64, f rdma.Flags) error {
			return e.PostSend(rdma.Send{From: m, Cookie: cookie, Flags: f})
		},
		rdma.OpWrite: func(e *rdma.Endpoint, m mem.Slice, at mem.Remote, cookie uint64, f rdma.Flags) error {
			return e.PostWrite(rdma.Write{From: m, To: at, Cookie: cookie, Flags: f})
		},
		rdma.OpRead: func(e *rdma.Endpoint, m mem.Slice, at mem.Remote, cookie uint64, f rdma.Flags) error {
			return e.PostRead(rdma.Read{Into: m, From: at, Cookie: cookie, Flags: f})
		},
		rdma.OpFetchAdd: func(e *rdma.Endpoint, m mem.Slice, at mem.Remote, cookie uint64, f rdma.Flags) error {
			return e.PostFetchAdd(rdma.FetchAdd{Into: m, At: at, Add: 1, Cookie: cookie, Flags: f})
		},
	}
	for op, post := range ops {
		for status := rdma.StatusFlushed; status <= rdma.StatusFatal; status++ {
			synctest.Test(t, func(t *testing.T) {
				w, _, a, b, ra, rb := pairIn(t, 1, 8)
				for i := range uint64(8) {
					must(t, b.PostRecv(rdma.Recv{Into: rb, Cookie: i}))
				}
				w.Fail(op, status, rdmatest.Nth(4))
				for i := range uint64(8) {
					var f rdma.Flags
					if i == 1 || i == 5 { // the latter is behind the failure
						f = rdma.NoCompletion
					}
					must(t, post(a.Endpoint(), ra, rb.Remote(), i, f))
				}
				for _, i := range []uint64{0, 2, 3, 4, 5, 6, 7} {
					c, _, err := a.SendCompletions().Wait(w.Context(), 1)
					must(t, err)
					want := rdma.StatusOK
					if i == 3 {
						want = status
					} else if i > 3 {
						want = rdma.StatusFlushed
					}
					if c.Cookie != i || c.Status != want || c.Op != op {
						t.Errorf("%v with %v: completion %d is %v, want %v", op, status, c.Cookie, c.Status, want)
					}
				}
				for _, c := range []*rdma.Conn{a, b} {
					<-c.Context().Done()
				}
				if err := context.Cause(a.Context()); !errors.Is(err, rdma.ErrBroken) {
					t.Errorf("%v with %v ended the connection with %v", op, status, err)
				}
				if n := w.Fired()["fail "+op.String()]; n != 1 {
					t.Errorf("it fired %d times", n)
				}
			})
		}
	}
}

// TestAReceiveFails: of several, one; those before have their messages.
func TestAReceiveFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, _, a, b, ra, rb := pairIn(t, 1, 8)
		w.Fail(rdma.OpRecv, rdma.StatusLocalLength, rdmatest.Nth(2))
		for i := range uint64(3) {
			must(t, b.PostRecv(rdma.Recv{Into: rb, Cookie: i}))
		}
		must(t, a.PostSend(rdma.Send{From: ra}))
		must(t, a.PostSend(rdma.Send{From: ra}))
		for i, want := range []rdma.Status{rdma.StatusOK, rdma.StatusLocalLength, rdma.StatusFlushed} {
			c, _, err := b.RecvCompletions().Wait(w.Context(), 1)
			must(t, err)
			if c.Cookie != uint64(i) || c.Status != want {
				t.Errorf("receive %d ended with %v, want %v", c.Cookie, c.Status, want)
			}
		}
	})
}

// TestFailByChance: some, and not all.
func TestFailByChance(t *testing.T) {
	failed, all := 0, 0
	rdmatest.Worlds(t, 40, func(t *testing.T, w *rdmatest.World) {
		a, b := w.Pair(w.Host("a"), w.Host("b"))
		x, err := a.Zone().Alloc(8, mem.All)
		must(t, err)
		y, err := b.Zone().Alloc(8, mem.All)
		must(t, err)
		w.Fail(rdma.OpRead, rdma.StatusTransport, rdmatest.Chance(0.1))
		for range 10 {
			all++
			if _, err := a.Read(w.Context(), x.All(), y.Remote()); err != nil {
				failed++
				break
			}
		}
	})
	if failed < 10 || failed == 40 {
		t.Errorf("%d of %d connections failed", failed, all)
	}
}

// TestTheNthCallFails, once.
func TestTheNthCallFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := rdmatest.NewWorld(t, 1)
		h := w.Host("a")
		h.Faults().SetNth(rdmatest.RegisterMemory, rdma.ErrResources, 3)
		a, err := h.Open(w.Context(), rdma.OpenConfig{})
		must(t, err)
		zone, err := a.NewZone()
		must(t, err)
		for i := 1; i < 6; i++ {
			if _, err := zone.Alloc(8, mem.Local); errors.Is(err, rdma.ErrResources) != (i == 3) {
				t.Errorf("registration %d: %v", i, err)
			}
		}
	})
}

// TestChaos: every kind of fault happens, programs end, and the library keeps its promises, which the books check.
func TestChaos(t *testing.T) {
	fired := map[string]int{}
	ended := 0
	rdmatest.Worlds(t, 60, func(t *testing.T, w *rdmatest.World) {
		a, b := w.Pair(w.Host("a"), w.Host("b"))
		x, err := a.Zone().Alloc(8192, mem.All)
		must(t, err)
		y, err := b.Zone().Alloc(8192, mem.All)
		must(t, err)
		w.Chaos(0.05)
		for range 30 {
			if _, err := a.Read(w.Context(), x.All(), y.Remote()); err != nil {
				if !errors.Is(err, rdma.ErrBroken) && !errors.Is(err, rdma.ErrWork) && !errors.Is(err, rdma.ErrResources) && !errors.Is(err, rdma.ErrDisconnected) {
					t.Errorf("it failed with %v", err)
				}
				ended++
				break
			}
		}
		for kind, n := range w.Fired() {
			fired[kind] += n
		}
	})
	for _, kind := range []string{"cut", "partition", "stop", "latency", "slow reader"} {
		if fired[kind] == 0 {
			t.Errorf("no %s in 60 worlds", kind)
		}
	}
	if ended == 0 || ended == 60 {
		t.Errorf("%d of 60 connections were lost", ended)
	}
	t.Log(fired, ended)
}

// TestCheck names what a program left.
func TestCheck(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, _, a, b, _, _ := pairIn(t, 1, 8)
		no := &failing{TB: t}
		w.Check(no)
		if !no.failed {
			t.Error("connections are open, and nobody minds")
		}
		for _, c := range []*rdma.Conn{a, b} {
			must(t, c.Zone().Adapter().Close())
		}
		w.Check(t)
	})
}
