package rdmatest_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mem"
	"github.com/godapl/godapl/rdma/rdmatest"
)

// TestLateCompletions: they come, in their order, after a time.
func TestLateCompletions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, _, a, _, ra, rb := pairIn(t, 1, 64)
		w.Late(time.Minute, rdmatest.Which{})
		before := time.Now()
		for i := range uint64(4) {
			must(t, a.PostRead(rdma.Read{Into: ra, From: rb.Remote(), Cookie: i}))
		}
		for i := range uint64(4) {
			c, _, err := a.SendCompletions().Wait(w.Context(), 1)
			must(t, err)
			if c.Cookie != i || c.Status != rdma.StatusOK {
				t.Errorf("completion %d is %v with %v", i, c.Cookie, c.Status)
			}
		}
		if time.Since(before) == 0 || w.Fired()["late"] == 0 {
			t.Error("none was late")
		}
	})
}

// TestAnEndMakesAllVisible: late completions do not come behind the end of their connection.
func TestAnEndMakesAllVisible(t *testing.T) {
	rdmatest.Worlds(t, 20, func(t *testing.T, w *rdmatest.World) {
		a, b := w.Pair(w.Host("a"), w.Host("b"))
		w.Late(10*time.Minute, rdmatest.Which{})
		x, err := a.Zone().Alloc(8, mem.Local)
		must(t, err)
		for range 5 {
			must(t, a.PostSend(rdma.Send{From: x.All()}))
		}
		w.Settle()
		must(t, b.Abort())
		<-a.Context().Done()
		var buf [8]rdma.Completion
		if n := a.SendCompletions().Poll(buf[:]); n != 5 {
			t.Errorf("%d of 5 completions are there at the end", n)
		}
	})
}

// TestLateBehindAnEnd: of a queue that connections share, completions are late also when one of them has ended.
func TestLateBehindAnEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, _, a, _, _, _ := pairIn(t, 1, 8)
		adapter := a.Zone().Adapter()
		queue, err := adapter.NewCompletionQueue(rdma.CompletionQueueConfig{Depth: 64})
		must(t, err)
		server := w.Host("server")
		s, err := server.Open(w.Context(), rdma.OpenConfig{})
		must(t, err)
		zone, err := s.NewZone()
		must(t, err)
		there, err := zone.Alloc(8, mem.All)
		must(t, err)
		here, err := a.Zone().Alloc(8, mem.All)
		must(t, err)
		ln, err := s.Listen(w.Context(), ":1", rdma.ListenConfig{})
		must(t, err)
		go func() {
			for r := range ln.Requests() {
				r.Accept(w.Context(), rdma.EndpointConfig{Zone: zone})
			}
		}()
		w.Late(time.Minute, rdmatest.Which{})
		for i := range 3 {
			before := w.Fired()["late"]
			c, err := adapter.Dial(w.Context(), "server:1", rdma.EndpointConfig{Zone: a.Zone(), SendCQ: queue, RecvCQ: queue})
			must(t, err)
			must(t, c.PostRead(rdma.Read{Into: here.All(), From: there.Remote()}))
			_, _, err = queue.Dispatcher().Wait(w.Context(), 1)
			must(t, err)
			if w.Fired()["late"] == before {
				t.Errorf("nothing was late on connection %d", i)
			}
			must(t, c.Abort())
			<-c.Context().Done()
		}
	})
}

// TestAsync: the error is reported, and connections end as broken, or do not.
func TestAsync(t *testing.T) {
	for kind, ends := range map[rdma.AsyncKind]bool{rdma.AsyncAdapterFailed: true, rdma.AsyncOverflow: true, rdma.AsyncPortDown: false, rdma.AsyncPortUp: false} {
		synctest.Test(t, func(t *testing.T) {
			w, _, a, b, ra, rb := pairIn(t, 1, 64)
			adapter := a.Zone().Adapter()
			w.Host("client").Async(kind)
			e, _, err := adapter.Async().Wait(w.Context(), 1)
			must(t, err)
			if e.Kind != kind || (e.CompletionQueue != nil) != (kind == rdma.AsyncOverflow) {
				t.Errorf("%v was reported as %v of %v", kind, e.Kind, e.CompletionQueue)
			}
			if !ends {
				_, err := a.Read(w.Context(), ra, rb.Remote())
				must(t, err)
				return
			}
			for _, c := range []*rdma.Conn{a, b} {
				<-c.Context().Done()
			}
			if err := context.Cause(a.Context()); !errors.Is(err, rdma.ErrBroken) {
				t.Errorf("%v ended the connection with %v", kind, err)
			}
		})
	}
}

// TestEndInAMessage: the stream ends as if somebody had closed it, and that is no orderly end of a connection.
func TestEndInAMessage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, _, a, b, ra, rb := pairIn(t, 1, 4000)
		w.Link(w.Host("client"), w.Host("server")).End(rdmatest.AtByte(2500))
		_, err := a.Write(w.Context(), ra, rb.Remote())
		if err == nil {
			_, err = a.Read(w.Context(), ra, rb.Remote())
		}
		if !errors.Is(err, rdma.ErrBroken) {
			t.Errorf("the operation ended with %v", err)
		}
		for _, c := range []*rdma.Conn{a, b} {
			<-c.Context().Done()
		}
		if err := context.Cause(b.Context()); !errors.Is(err, rdma.ErrBroken) {
			t.Errorf("the peer's end is %v", err)
		}
	})
}

// TestRevokedInFlight counts memory that is freed while the peer reads it.
func TestRevokedInFlight(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, _, a, b, ra, _ := pairIn(t, 1, 4096)
		w.Link(w.Host("client"), w.Host("server")).Latency(time.Second)
		there, err := b.Zone().Alloc(4096, mem.All)
		must(t, err)
		must(t, a.PostRead(rdma.Read{Into: ra, From: there.Remote()}))
		must(t, there.Free())
		c, _, err := a.SendCompletions().Wait(w.Context(), 1)
		must(t, err)
		if c.Status == rdma.StatusOK || w.Fired()["revoke in flight"] != 1 {
			t.Errorf("it completed with %v; %v", c.Status, w.Fired())
		}
	})
}
