package rdmatest_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mem"
	"github.com/godapl/godapl/rdma/rdmatest"
)

// TestRevoke takes the memory of the second read away while it is under way. The first has it, and other memory stays.
func TestRevoke(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, l, a, b, ra, rb := pairIn(t, 1, 64)
		l.Latency(time.Second)
		w.Revoke(rdmatest.Nth(2))
		for i := range uint64(2) {
			must(t, a.PostRead(rdma.Read{Into: ra, From: rb.Remote(), Cookie: i}))
			c, _, err := a.SendCompletions().Wait(w.Context(), 1)
			must(t, err)
			if (c.Status == rdma.StatusOK) != (i == 0) {
				t.Errorf("read %d completed with %v", c.Cookie, c.Status)
			}
		}
		<-b.Context().Done()
		if n := w.Fired()["revoke"]; n != 1 {
			t.Errorf("it fired %d times", n)
		}
		must(t, rb.Region().Free())
	})
}

// TestASharedReceiveFails, as others do.
func TestASharedReceiveFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := rdmatest.NewWorld(t, 1)
		open := func(h *rdmatest.Host) *rdma.Zone {
			a, err := h.Open(w.Context(), rdma.OpenConfig{})
			must(t, err)
			zone, err := a.NewZone()
			must(t, err)
			return zone
		}
		zs, zc := open(w.Host("server")), open(w.Host("client"))
		shared, err := zs.NewSharedReceiveQueue(rdma.SharedReceiveConfig{Depth: 8})
		must(t, err)
		page, err := zs.Alloc(64, mem.Local)
		must(t, err)
		w.Fail(rdma.OpRecv, rdma.StatusLocalLength, rdmatest.Nth(2))
		for i := range uint64(4) {
			must(t, shared.PostRecv(rdma.Recv{Into: page.Slice(int(i)*8, 8), Cookie: 10 + i}))
		}
		ln, err := zs.Adapter().Listen(w.Context(), ":7471", rdma.ListenConfig{})
		must(t, err)
		accepted := make(chan *rdma.Conn, 1)
		go func() {
			c, err := (<-ln.Requests()).Accept(w.Context(), rdma.EndpointConfig{Zone: zs, SharedReceives: shared})
			must(t, err)
			accepted <- c
		}()
		a, err := zc.Adapter().Dial(w.Context(), "server:7471", rdma.EndpointConfig{Zone: zc})
		must(t, err)
		b := <-accepted
		for range 2 {
			must(t, a.PostSend(rdma.Send{}))
		}
		for i, want := range []rdma.Status{rdma.StatusOK, rdma.StatusLocalLength} {
			c, _, err := b.Endpoint().RecvCompletions().Wait(w.Context(), 1)
			must(t, err)
			if c.Status != want || c.Cookie != uint64(10+i) {
				t.Errorf("receive %d ended with %v, want %v", c.Cookie, c.Status, want)
			}
		}
		<-b.Context().Done()
		if n := w.Fired()["fail receive"]; n != 1 {
			t.Errorf("it fired %d times", n)
		}
	})
}

// TestRun: a program runs while its process lives, and again when it has been restarted.
func TestRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := rdmatest.NewWorld(t, 1)
		h := w.Host("server")
		runs, over := 0, 0
		h.Run(func(ctx context.Context) {
			runs++
			_, err := h.Open(ctx, rdma.OpenConfig{}) // the world closes it
			must(t, err)
			<-ctx.Done()
			over++
		})
		for i := 1; i < 4; i++ {
			h.Restart() // of one that is alive: nothing
			w.Settle()
			if runs != i || over != i-1 {
				t.Errorf("life %d: it was started %d times, and ended %d times", i, runs, over)
			}
			if h.Kill(); over != i {
				t.Errorf("Kill returns while the program of life %d runs", i)
			}
			h.Restart()
		}
		w.Settle()
	})
}

// TestChaosKills hosts with programs, and no others, and they restart.
func TestChaosKills(t *testing.T) {
	runs, kills, restarts := 0, 0, 0
	rdmatest.Worlds(t, 30, func(t *testing.T, w *rdmatest.World) {
		server, client := w.Host("server"), w.Host("client")
		server.Run(func(ctx context.Context) { runs++; <-ctx.Done() })
		a, b := w.Pair(client, server)
		x, err := a.Zone().Alloc(64, mem.All)
		must(t, err)
		y, err := b.Zone().Alloc(64, mem.All)
		must(t, err)
		w.Chaos(0.2)
		for range 20 {
			if _, err := a.Read(w.Context(), x.All(), y.Remote()); err != nil {
				break
			}
		}
		w.Chaos(0)
		<-time.After(time.Minute)
		kills, restarts = kills+w.Fired()["kill"], restarts+w.Fired()["restart"]
	})
	if kills == 0 || restarts != kills || runs != 30+kills {
		t.Errorf("%d kills, %d restarts, %d runs in 30 worlds", kills, restarts, runs)
	}
}
