package rdma_test

import (
	"runtime"
	"testing"
	"time"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/event"
	"github.com/godapl/godapl/rdma/mem"
)

// bindsApart connects two sides, of which the active one has a queue for binds.
func bindsApart(t *testing.T, name string, change ...func(active *rdma.EndpointConfig)) (y *side, binds *event.Dispatcher[rdma.Completion]) {
	t.Helper()
	y, peer := newSide(t, name), newSide(t, name)
	q, err := y.adapter.NewCompletionQueue(rdma.CompletionQueueConfig{Depth: 8})
	must(t, err)
	cfg := rdma.EndpointConfig{Zone: y.zone, BindCQ: q}
	for _, f := range change {
		f(&cfg)
	}
	join(t, y, peer, cfg, rdma.EndpointConfig{Zone: peer.zone})
	return y, q.Dispatcher()
}

// bind posts one bind.
func bind(t *testing.T, y *side, w *mem.Window, cookie uint64, flags rdma.Flags) {
	t.Helper()
	_, err := y.conn.PostBind(rdma.Bind{Window: w, To: y.mem.Slice(0, 8), Rights: mem.RemoteRead, Cookie: cookie, Flags: flags})
	must(t, err)
}

func TestBindsCompleteOnAQueueOfTheirOwn(t *testing.T) {
	onEveryPath(t, func(t *testing.T, name string) {
		needsWindows(t, name)
		y, binds := bindsApart(t, name)
		w, err := y.zone.NewWindow(mem.ZoneWindow)
		must(t, err)
		bind(t, y, w, 1, 0)
		// A waiter there is woken, although no goroutine polls the requests.
		c, _, err := binds.Wait(within(t), 1)
		if err != nil || c.Op != rdma.OpBind || c.Cookie != 1 || c.Window != w || c.Status != rdma.StatusOK || c.Endpoint != y.conn.Endpoint() {
			t.Fatalf("%+v, %v", c, err)
		}
		// One that is there before the wait is found, however it came there.
		bind(t, y, w, 2, 0)
		must(t, y.conn.PostWrite(rdma.Write{From: y.mem.Slice(0, 0), To: mem.Remote{}, Cookie: 3}))
		if c := one(t, y); c.Cookie != 3 || c.Op != rdma.OpWrite {
			t.Fatalf("the requests hold %+v", c)
		}
		if c, _, err := binds.Wait(within(t), 1); err != nil || c.Cookie != 2 {
			t.Fatalf("%+v, %v", c, err)
		}
		// Calls that wait for their bind get it as ever, and suppressed ones leave nothing.
		bind(t, y, w, 4, rdma.NoCompletion)
		if _, err := y.conn.Bind(within(t), w, y.mem.Slice(8, 8), mem.RemoteRead); err != nil {
			t.Fatal(err)
		}
		if c, err := binds.Dequeue(); err == nil {
			t.Fatalf("%+v", c)
		}
		// At the end they are flushed there.
		must(t, y.conn.Abort())
		<-y.conn.Context().Done()
		bind(t, y, w, 5, 0)
		if c, _, err := binds.Wait(within(t), 1); err != nil || c.Cookie != 5 || c.Status != rdma.StatusFlushed {
			t.Fatalf("%+v, %v", c, err)
		}
	})
}

// TestBindsBesideConnectionEvents has both in one dispatcher: the connection is
// established before its first bind, and ends after its last.
func TestBindsBesideConnectionEvents(t *testing.T) {
	type item struct {
		kind   rdma.ConnEventKind
		cookie uint64
	}
	onEveryPath(t, func(t *testing.T, name string) {
		needsWindows(t, name)
		y, peer := newSide(t, name), newSide(t, name)
		d := event.New[item](event.Config{Depth: 32})
		q, err := y.adapter.NewCompletionQueue(rdma.CompletionQueueConfig{Depth: 32,
			Sink: rdma.NewSink(d, func(i *item, c *rdma.Completion) { i.cookie = c.Cookie })})
		must(t, err)
		sink := rdma.NewSink(d, func(i *item, ev *rdma.ConnEvent) { i.kind = ev.Kind })
		join(t, y, peer, rdma.EndpointConfig{Zone: y.zone, BindCQ: q, ConnEvents: sink}, rdma.EndpointConfig{Zone: peer.zone})
		w, err := y.zone.NewWindow(mem.ZoneWindow)
		must(t, err)
		n := 4
		if !soft(name) {
			n = 1 // a device binds it once
		}
		for i := range n {
			bind(t, y, w, uint64(i+1), 0)
		}
		must(t, y.conn.Abort())
		var all []item
		for len(all) == 0 || all[len(all)-1].kind <= rdma.Established {
			ev, _, err := d.Wait(within(t), 1)
			must(t, err)
			all = append(all, ev)
		}
		if all[0].kind != rdma.Established || len(all) != n+2 {
			t.Errorf("first comes %+v", all)
		}
		for i, ev := range all[1 : len(all)-1] {
			if ev.cookie != uint64(i+1) {
				t.Errorf("%d: %+v", i, all)
			}
		}
		if _, err := d.Dequeue(); err == nil {
			t.Error("something comes after the end")
		}
	})
}

func TestBindsThatCannotBeApart(t *testing.T) {
	a := open(t, "soft-loop")
	z, err := a.NewZone()
	must(t, err)
	q, err := a.NewCompletionQueue(rdma.CompletionQueueConfig{Depth: 8})
	must(t, err)
	r, err := a.NewCompletionQueue(rdma.CompletionQueueConfig{Depth: 8})
	must(t, err)
	_, err = a.NewEndpoint(rdma.EndpointConfig{Zone: z, SendCQ: q, BindCQ: q})
	wantCode(t, err, rdma.ErrInvalid, "the queue of the requests")
	_, err = a.NewEndpoint(rdma.EndpointConfig{Zone: z, BindCQ: mustQueue(t, open(t, "soft-loop"))})
	wantCode(t, err, rdma.ErrInvalid, "another adapter's")
	e, err := a.NewEndpoint(rdma.EndpointConfig{Zone: z, SendCQ: q, BindCQ: r})
	must(t, err)
	_, err = a.NewEndpoint(rdma.EndpointConfig{Zone: z, SendCQ: r, BindCQ: q})
	wantCode(t, err, rdma.ErrInvalid, "in a circle")
	wantCode(t, r.Close(), rdma.ErrInUse, "close while an endpoint has its binds there")
	cfg := e.Config()
	cfg.BindCQ = nil
	must(t, e.Modify(cfg))
	must(t, r.Close())
	cfg.BindCQ = r
	wantCode(t, e.Modify(cfg), rdma.ErrClosed, "a queue that is closed")
	must(t, e.Close())
	must(t, q.Close())
}

func mustQueue(t *testing.T, a *rdma.Adapter) *rdma.CompletionQueue {
	t.Helper()
	q, err := a.NewCompletionQueue(rdma.CompletionQueueConfig{Depth: 8})
	must(t, err)
	return q
}

// TestABindBehindAFullDispatcher: the completions of requests fill their dispatcher, and the program takes some of them.
// There is room now for what precedes the bind, for which it waits elsewhere.
func TestABindBehindAFullDispatcher(t *testing.T) {
	const taken = 8
	waits := map[string]func(binds *event.Dispatcher[rdma.Completion], set *event.Set) error{
		"Wait": func(binds *event.Dispatcher[rdma.Completion], _ *event.Set) error {
			_, _, err := binds.WaitTimeout(10*patience, 1)
			return err
		},
		"Set": func(binds *event.Dispatcher[rdma.Completion], set *event.Set) error {
			must(t, set.Add(binds))
			for {
				if _, err := binds.Dequeue(); err == nil {
					return nil
				}
				if _, err := set.WaitTimeout(10 * patience); err != nil {
					return err
				}
			}
		},
	}
	for _, name := range pathsAndShm() {
		for way, wait := range waits {
			t.Run(name+"/"+way, func(t *testing.T) {
				needsWindows(t, name)
				var d *event.Dispatcher[rdma.Completion]
				y, binds := bindsApart(t, name, func(cfg *rdma.EndpointConfig) {
					q, err := cfg.Zone.Adapter().NewCompletionQueue(rdma.CompletionQueueConfig{Depth: 4})
					must(t, err)
					cfg.SendCQ, cfg.SendDepth, d = q, 4, q.Dispatcher()
				})
				w, err := y.zone.NewWindow(mem.ZoneWindow)
				must(t, err)
				write := rdma.Write{From: y.mem.Slice(0, 0)}
				for d.Len() < d.Cap()-1 {
					must(t, y.conn.PostWrite(write))
					_, err := y.conn.Write(within(t), write.From, write.To)
					must(t, err)
				}
				must(t, y.conn.PostWrite(write))
				bind(t, y, w, 1, 0)
				set := event.NewSet()
				defer set.Close()
				done := make(chan error, 1)
				go func() { done <- wait(binds, set) }()
				for d.Len() < d.Cap() {
					runtime.Gosched()
				}
				for range 1000 { // let the wait go to sleep
					runtime.Gosched()
				}
				var buf [taken]rdma.Completion
				if n := d.Poll(buf[:]); n != taken {
					t.Errorf("polled %d", n)
				}
				select {
				case err := <-done:
					must(t, err)
				case <-time.After(patience): // before the wait looks for the last time
					t.Fatal("it still waits")
				}
			})
		}
	}
}
