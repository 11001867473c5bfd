package rdma_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"testing"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/event"
	"github.com/godapl/godapl/rdma/mem"
)

func TestWaitingCalls(t *testing.T) {
	onEveryPath(t, func(t *testing.T, name string) {
		unwaited(t, name)
		x, y := connect(t, name)
		ctx := within(t)
		x.mem.WriteAt([]byte("message"), 0)
		got := make(chan error, 1)
		go func() {
			n, err := y.conn.Recv(ctx, y.mem.Slice(0, 64))
			if err == nil && (n != 7 || string(y.mem.Bytes()[:7]) != "message") {
				err = fmt.Errorf("%d bytes: %q", n, y.mem.Bytes()[:7])
			}
			got <- err
		}()
		must(t, x.conn.Send(ctx, x.mem.Slice(0, 7)))
		must(t, <-got)
		if n, err := x.conn.Write(ctx, x.mem.Slice(0, 7), y.mem.Slice(100, 50).Remote()); n != 7 || err != nil {
			t.Error(n, err)
		}
		if n, err := x.conn.Read(ctx, x.mem.Slice(50, 20), y.mem.Slice(100, 7).Remote()); n != 7 || err != nil || string(x.mem.Bytes()[50:58]) != "message\x00" {
			t.Error(n, err, string(x.mem.Bytes()[50:58]))
		}
		at := y.mem.Slice(200, 8).Remote()
		if x.conn.Caps().Atomics {
			for want := range uint64(3) {
				if v, err := x.conn.FetchAdd(ctx, at, 1); v != want || err != nil {
					t.Error(v, err)
				}
			}
			if v, err := x.conn.CompareSwap(ctx, at, 3, 10); v != 3 || err != nil {
				t.Error(v, err)
			}
			if v, err := x.conn.FetchAdd(ctx, at, 0); v != 10 || err != nil {
				t.Error(v, err)
			}
		}
		// Nothing of all that is for the dispatchers.
		for _, d := range []*event.Dispatcher[rdma.Completion]{x.conn.SendCompletions(), x.conn.RecvCompletions(), y.conn.SendCompletions(), y.conn.RecvCompletions()} {
			if n := d.Poll(make([]rdma.Completion, 1)); n != 0 {
				t.Error("a completion of a waiting call got to a dispatcher")
			}
		}
	})
}

func TestWaitingCallsRefuse(t *testing.T) {
	x, y := connect(t, "soft-loop")
	ctx := within(t)
	far, ok := y.mem.Remote(), x.mem.Slice(0, 8)
	done, cancel := context.WithCancel(ctx)
	cancel()
	second := func(_ any, err error) error { return err }
	for what, c := range map[string]struct {
		err  error
		code rdma.Code
	}{
		"send range":  {x.conn.Send(ctx, ok.Slice(0, 9)), rdma.ErrInvalid},
		"recv range":  {second(x.conn.Recv(ctx, ok.Slice(0, 9))), rdma.ErrInvalid},
		"read range":  {second(x.conn.Read(ctx, ok.Slice(0, 9), far)), rdma.ErrInvalid},
		"write room":  {second(x.conn.Write(ctx, ok, far.Slice(0, 7))), rdma.ErrLength},
		"add":         {second(x.conn.FetchAdd(ctx, far.Slice(1, 8), 1)), rdma.ErrInvalid},
		"swap":        {second(x.conn.CompareSwap(ctx, far.Slice(0, 7), 1, 1)), rdma.ErrLength},
		"bind":        {second(x.conn.Bind(ctx, nil, ok, mem.RemoteRead)), rdma.ErrInvalid},
		"send done":   {x.conn.Send(done, ok), rdma.ErrCanceled},
		"recv done":   {second(x.conn.Recv(done, ok)), rdma.ErrCanceled},
		"write done":  {second(x.conn.Write(done, ok, far)), rdma.ErrCanceled},
		"add done":    {second(x.conn.FetchAdd(done, far, 1)), rdma.ErrCanceled},
		"bind done":   {second(x.conn.Bind(done, nil, ok, 0)), rdma.ErrCanceled},
		"reader done": {second(x.conn.ReaderAt(done, far).ReadAt(make([]byte, 1), 0)), rdma.ErrCanceled},
	} {
		wantCode(t, c.err, c.code, what)
	}
	if s, r := x.conn.Outstanding(); s != 0 || r != 0 {
		t.Errorf("%d requests and %d receives were posted", s, r)
	}
}

// TestWaitingCallsBesideFaces: whatever reads the dispatcher, calls get their
// own completions and the dispatcher gets the others, each once.
func TestWaitingCallsBesideFaces(t *testing.T) {
	const each, callers = 200, 3
	faces := map[string]func(ctx context.Context, d *event.Dispatcher[rdma.Completion], got func(rdma.Completion)){
		"nobody": nil,
		"wait": func(ctx context.Context, d *event.Dispatcher[rdma.Completion], got func(rdma.Completion)) {
			for {
				c, _, err := d.Wait(ctx, 1)
				if err != nil {
					return
				}
				got(c)
			}
		},
		"poll": func(ctx context.Context, d *event.Dispatcher[rdma.Completion], got func(rdma.Completion)) {
			var list [7]rdma.Completion
			for ctx.Err() == nil {
				for _, c := range list[:d.Poll(list[:])] {
					got(c)
				}
			}
		},
		"channel": func(ctx context.Context, d *event.Dispatcher[rdma.Completion], got func(rdma.Completion)) {
			defer d.StopChan()
			for {
				select {
				case c := <-d.C():
					got(c)
				case <-ctx.Done():
					return
				}
			}
		},
	}
	for face, run := range faces {
		t.Run(face, func(t *testing.T) {
			onEveryPath(t, func(t *testing.T, name string) {
				x, y := connect(t, name, func(a, p *rdma.EndpointConfig) { a.SendDepth = 512 })
				ctx, stop := context.WithCancel(within(t))
				defer stop()
				seen := make(chan rdma.Completion, each)
				var readers sync.WaitGroup
				if run != nil {
					readers.Go(func() { run(ctx, x.conn.SendCompletions(), func(c rdma.Completion) { seen <- c }) })
				}
				far := y.mem.Remote()
				var posters sync.WaitGroup
				for i := range callers {
					posters.Go(func() {
						for range each {
							if n, err := x.conn.Write(ctx, x.mem.Slice(64*i, 8), far.Slice(64*i, 8)); n != 8 || err != nil {
								t.Error(n, err)
								return
							}
						}
					})
				}
				posters.Go(func() {
					for i := range each {
						if err := x.conn.PostWrite(rdma.Write{From: x.mem.Slice(1024, 8), To: far.Slice(1024, 8), Cookie: uint64(i) + 1}); err != nil {
							t.Error(err)
							return
						}
					}
				})
				posters.Wait()
				if run == nil {
					for _, c := range take(t, x.conn.SendCompletions(), each) {
						seen <- c
					}
				}
				for i := range each { // in order, and nothing between
					if c := <-seen; c.Cookie != uint64(i)+1 || c.Err() != nil {
						t.Fatalf("completion %d: %+v", i, c)
					}
				}
				stop()
				readers.Wait()
				if len(seen) != 0 {
					t.Error("more completions than posts")
				}
			})
		})
	}
}

// TestCancelledRecvLosesNoMessage follows a receive whose call was cancelled.
func TestCancelledRecvLosesNoMessage(t *testing.T) {
	onEveryPath(t, func(t *testing.T, name string) {
		unwaited(t, name)
		x, y := connect(t, name)
		ctx := within(t)
		cause := errors.New("enough")
		giveUp := func(into mem.Slice) {
			t.Helper()
			short, cancel := context.WithCancelCause(ctx)
			go func() {
				for n := 0; n == 0 && ctx.Err() == nil; _, n = y.conn.Outstanding() {
					runtime.Gosched() // until it is posted
				}
				cancel(cause)
			}()
			_, err := y.conn.Recv(short, into)
			if !errors.Is(err, rdma.ErrCanceled) || !errors.Is(err, context.Canceled) || !errors.Is(err, cause) {
				t.Fatalf("cancelled: %v", err)
			}
		}
		send := func(text string) {
			t.Helper()
			x.mem.WriteAt([]byte(text), 0)
			must(t, x.conn.Send(ctx, x.mem.Slice(0, len(text))))
		}
		want := func(into mem.Slice, text string) {
			t.Helper()
			n, err := y.conn.Recv(ctx, into)
			if err != nil || string(into.Bytes()[:n]) != text {
				t.Fatalf("%d bytes, %v, %q; want %q", n, err, into.Bytes()[:n], text)
			}
		}
		first, second := y.mem.Slice(0, 64), y.mem.Slice(64, 64)
		// Again with the same memory: the posted receive is used.
		giveUp(first)
		giveUp(first)
		if _, n := y.conn.Outstanding(); n != 1 {
			t.Fatalf("%d receives are posted, want the first one only", n)
		}
		send("one")
		want(first, "one")
		// With other memory: the message is copied there.
		giveUp(first)
		send("two")
		want(second, "two")
		// Into less room: an error, and the message is still there.
		giveUp(first)
		send("three")
		_, err := y.conn.Recv(ctx, y.mem.Slice(200, 4))
		wantCode(t, err, rdma.ErrLength, "little room")
		want(second, "three")
		// The memory was freed: the message is gone, and the call says so.
		r, err := y.zone.RegisterAgain(y.mem, mem.Local)
		must(t, err)
		giveUp(r.Slice(0, 64))
		send("four")
		for n := 1; n != 0; _, n = y.conn.Outstanding() { // until it is in
			event.ProviderOf(y.conn.RecvCompletions()).Pump()
		}
		must(t, r.Free())
		_, err = y.conn.Recv(ctx, second)
		wantCode(t, err, rdma.ErrPrivileges, "freed memory")
		// And order is kept all the time.
		send2 := make(chan struct{})
		go func() { defer close(send2); send("five"); send("six") }()
		want(first, "five")
		want(second, "six")
		<-send2
		if n := y.conn.RecvCompletions().Poll(make([]rdma.Completion, 1)); n != 0 {
			t.Error("a receive of a call got to the dispatcher")
		}
	})
}

// TestCancelledRequestKeepsItsMemory: the operation goes on, and its completion
// bothers nobody.
func TestCancelledRequestKeepsItsMemory(t *testing.T) {
	onEveryPath(t, func(t *testing.T, name string) {
		unwaited(t, name)
		x, y := connect(t, name)
		ctx, cancel := context.WithCancel(within(t))
		x.mem.WriteAt([]byte("late"), 0)
		got := make(chan error, 1)
		go func() { got <- x.conn.Send(ctx, x.mem.Slice(0, 4)) }() // no receive is posted there
		for n := 0; n == 0 && len(got) == 0; n, _ = x.conn.Outstanding() {
			event.ProviderOf(x.conn.SendCompletions()).Pump() // over TCP the transport may take it all
		}
		cancel()
		if err := <-got; err != nil || name != "soft-tcp" {
			wantCode(t, err, rdma.ErrCanceled, "send")
		}
		if n, err := y.conn.Recv(within(t), y.mem.Slice(0, 8)); err != nil || string(y.mem.Bytes()[:n]) != "late" {
			t.Errorf("the message was lost: %d, %v", n, err)
		}
		must(t, x.conn.PostWrite(rdma.Write{From: x.mem.Slice(0, 8), To: y.mem.Slice(8, 8).Remote(), Cookie: 1}))
		if c := one(t, x); c.Cookie != 1 {
			t.Errorf("%+v", c)
		}
		if s, _ := x.conn.Outstanding(); s != 0 {
			t.Errorf("%d requests are posted", s)
		}
	})
}

// TestCallsEndWithTheConnection: waiting calls return the cause.
func TestCallsEndWithTheConnection(t *testing.T) {
	onEveryPath(t, func(t *testing.T, name string) {
		for what, end := range map[string]func(x, y *side){
			"disconnect here":  func(x, y *side) { must(t, x.conn.Abort()) },
			"disconnect there": func(x, y *side) { must(t, y.conn.Abort()) },
			"close":            func(x, y *side) { must(t, x.conn.Close()) },
			"adapter close":    func(x, y *side) { must(t, x.adapter.Close()) },
			"peer's adapter":   func(x, y *side) { must(t, y.adapter.Close()) },
		} {
			t.Run(what, func(t *testing.T) {
				x, y := connect(t, name)
				const calls = 3
				got := make(chan error, calls)
				for i := range calls {
					go func() {
						_, err := x.conn.Recv(within(t), x.mem.Slice(64*i, 64))
						got <- err
					}()
				}
				for n := 0; n < calls; _, n = x.conn.Outstanding() {
					event.ProviderOf(x.conn.RecvCompletions()).Pump()
				}
				end(x, y)
				for range calls {
					err := <-got
					if !errors.Is(err, rdma.ErrDisconnected) && !errors.Is(err, rdma.ErrBroken) {
						t.Errorf("%v, want the cause of the end", err)
					}
				}
				_, err := x.conn.Recv(within(t), x.mem.Slice(0, 64))
				if err == nil {
					t.Error("receive after the end")
				}
			})
		}
	})
}
