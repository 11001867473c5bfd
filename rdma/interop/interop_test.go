package interop_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mem"
)

func within(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	return ctx
}

var lastID atomic.Uint32

// dial connects with an order. At the end the partner must report success, unless the test
// asks for its report with told.
func (w *world) dial(t testing.TB, o order, size, depth int, lend func(l *link, o *order)) (*link, *order) {
	t.Helper()
	o.ID = lastID.Add(1)
	l, err := newLink(w.adapter, size, depth)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.close)
	if lend != nil {
		lend(l, &o)
	}
	if err := w.connect(t, l, o.private(0)); err != nil {
		t.Fatalf("connecting: %v", err)
	}
	return l, &o
}

// connect tries again where siw says that a local port is not free: it connects
// from ports that the kernel gives out for other purposes, too. The relay between a guest and
// this machine resets a connection whose port it still knows from an earlier one, which looks
// like a port where nobody listens, so that is tried again as well if there may be a relay.
func (w *world) connect(t testing.TB, l *link, private []byte) (err error) {
	for range 10 {
		l.conn, err = l.Connect(within(t), w.address, rdma.ConnConfig{Private: private})
		behindRelay := w.own == nil && errors.Is(err, rdma.ErrRefused)
		if !behindRelay && !errors.Is(err, rdma.ErrServiceInUse) {
			break
		}
		t.Logf("once more: %v", err)
		if rerr := l.again(); rerr != nil {
			return rerr
		}
	}
	return err
}

// told asks the partner for its report about a connection.
func (w *world) told(t testing.TB, o *order) string {
	t.Helper()
	_, err := w.try(t, &order{Do: "tell", ID: o.ID}, 0)
	var e *rdma.Error
	if !errors.As(err, &e) || e.Code != rdma.ErrRejected {
		t.Fatalf("asking the partner: %v", err)
	}
	return string(e.Private)
}

// try connects with an order and filler behind it, which may be rejected.
func (w *world) try(t testing.TB, o *order, filler int) (*link, error) {
	t.Helper()
	l, err := newLink(w.adapter, 64, 2)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.close)
	return l, w.connect(t, l, o.private(filler))
}

// done ends a connection in order, and asks the partner.
func (w *world) done(t testing.TB, l *link, o *order) {
	t.Helper()
	if err := l.conn.Shutdown(within(t)); err != nil {
		t.Errorf("the end: %v", err)
	}
	if text := w.told(t, o); text != fine {
		t.Errorf("the partner: %s", text)
	}
}

func ok(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// sizes are around the segments of TCP on Ethernet and on the loopback interface,
// and what the length field of an FPDU can say.
var sizes = []int{0, 1, 777, 1429, 1430, 1431, 1447, 1448, 1449, 1459, 1460, 1461, 32717, 32741, 65462, 65463, 65464, 65483, 65535, 65536, 65537, 1 << 20}

func TestMessages(t *testing.T) {
	eachWorld(t, func(t *testing.T, w *world) {
		for _, size := range sizes {
			w.echo(t, size, 8, 3)
		}
	})
}

// echo sends n messages, depth of which are under way, and compares what comes back.
func (w *world) echo(t *testing.T, size, n, depth int) {
	t.Helper()
	if size > 1<<18 {
		n, depth = 2, 1
	}
	l, o := w.dial(t, order{Do: "echo", Size: size, N: n, Depth: depth}, size, depth, nil)
	defer l.close()
	ctx := within(t)
	out, err := l.zone.Alloc(max(1, size)*depth, mem.Local)
	ok(t, err)
	defer out.Free()
	post := func(i int) {
		m := out.Slice((i%depth)*size, size)
		fill(m.Bytes(), i)
		ok(t, l.conn.PostSend(rdma.Send{From: m, Flags: rdma.NoCompletion}))
	}
	for i := range depth {
		post(i)
	}
	for i := range n {
		m, _, err := l.next(ctx)
		if err != nil {
			t.Fatalf("%d bytes, echo %d: %v", size, i, err)
		}
		if m.Len() != size {
			t.Fatalf("echo %d has %d bytes instead of %d", i, m.Len(), size)
		}
		if err := check(m.Bytes(), i); err != nil {
			t.Fatalf("%d bytes, echo %d: %v", size, i, err)
		}
		if i+depth < n {
			post(i + depth)
		}
	}
	w.done(t, l, o)
}

// Reads and writes by the active side.
func TestMemoryLent(t *testing.T) {
	eachWorld(t, func(t *testing.T, w *world) {
		for _, size := range sizes {
			w.lent(t, size)
		}
	})
}

// borrow has the partner lend memory of a size, and says where it is.
func (w *world) borrow(t testing.TB, size int) (l *link, o *order, there mem.Remote) {
	t.Helper()
	l, o = w.dial(t, order{Do: "lend", Size: size}, 64, 2, nil)
	ok(t, l.say(within(t), "hello"))
	ok(t, there.UnmarshalBinary(l.conn.PrivateData()))
	return l, o, there
}

func (w *world) lent(t *testing.T, size int) {
	t.Helper()
	l, o, there := w.borrow(t, size)
	defer l.close()
	ctx := within(t)
	region, err := l.zone.Alloc(size+2, mem.Local)
	ok(t, err)
	defer region.Free()
	region.Bytes()[0], region.Bytes()[size+1] = 'a', 'z'
	here := region.Slice(1, size)
	if size > 0 { // see take
		n, err := l.conn.Read(ctx, here, there)
		if err != nil || n != size {
			t.Fatalf("reading %d bytes: %d, %v", size, n, err)
		}
	} else {
		fill(here.Bytes(), 1)
	}
	if err := check(here.Bytes(), 1); err != nil || region.Bytes()[0] != 'a' || region.Bytes()[size+1] != 'z' {
		t.Fatalf("read: %v, around it %q %q", err, region.Bytes()[0], region.Bytes()[size+1])
	}
	for seed := range 2 {
		fill(here.Bytes(), 7+seed)
		if n, err := l.conn.Write(ctx, here, there); err != nil || n != size {
			t.Fatalf("writing %d bytes: %d, %v", size, n, err)
		}
		ok(t, l.say(ctx, fmt.Sprint(7+seed)))
		if text, err := l.hear(ctx); err != nil || text != fine {
			t.Fatalf("after a write of %d bytes the partner says %q, %v", size, text, err)
		}
	}
	w.done(t, l, o)
}

// Reads and writes by the partner.
func TestMemoryTaken(t *testing.T) {
	eachWorld(t, func(t *testing.T, w *world) {
		for _, size := range sizes {
			w.taken(t, size)
		}
	})
}

func (w *world) taken(t *testing.T, size int) {
	t.Helper()
	var region *mem.Region
	l, o := w.dial(t, order{Do: "take", Size: size}, 64, 2, func(l *link, o *order) {
		var err error
		region, err = l.zone.Alloc(size+2, mem.Local|mem.RemoteRead|mem.RemoteWrite)
		ok(t, err)
		region.Bytes()[0], region.Bytes()[size+1] = 'a', 'z'
		fill(region.Slice(1, size).Bytes(), 1)
		o.lend(region.Slice(1, size).Remote())
	})
	defer l.close()
	defer region.Free()
	ctx := within(t)
	ok(t, l.say(ctx, "hello"))
	if text, err := l.hear(ctx); err != nil || text != fine {
		t.Fatalf("%d bytes: %q, %v, and the partner: %s", size, text, err, w.told(t, o))
	}
	if err := check(region.Slice(1, size).Bytes(), 2); err != nil || region.Bytes()[0] != 'a' || region.Bytes()[size+1] != 'z' {
		t.Fatalf("written: %v, around it %q %q", err, region.Bytes()[0], region.Bytes()[size+1])
	}
	w.done(t, l, o)
}

// 64 MiB, each way. With -short 4 MiB, which are more than sockets buffer: an emulated network carries 3 MB/s.
func TestLarge(t *testing.T) {
	size := 64 << 20
	if testing.Short() {
		size = 4 << 20
	}
	eachWorld(t, func(t *testing.T, w *world) {
		w.lent(t, size)
		w.taken(t, size)
		w.echo(t, size, 1, 1)
	})
}

func TestManyInFlight(t *testing.T) {
	eachWorld(t, func(t *testing.T, w *world) {
		t.Run("messages", func(t *testing.T) { w.echo(t, 300, 500, 32) })
		t.Run("by the active side", func(t *testing.T) {
			l, o, there := w.borrow(t, stormArea)
			ok(t, storm(within(t), l, there, 3, 400))
			w.done(t, l, o)
		})
		t.Run("by the partner", func(t *testing.T) {
			var region *mem.Region
			l, o := w.dial(t, order{Do: "storm", N: 400}, 64, 2, func(l *link, o *order) {
				var err error
				region, err = l.zone.Alloc(stormArea, mem.Local|mem.RemoteRead|mem.RemoteWrite)
				ok(t, err)
				fill(region.Bytes()[:stormArea/2], 1)
				o.lend(region.Slice(0, stormArea).Remote())
			})
			ok(t, l.say(within(t), "hello"))
			if text, err := l.hear(within(t)); err != nil || text != fine {
				t.Fatalf("%q, %v, and the partner: %s", text, err, w.told(t, o))
			}
			ok(t, check(region.Bytes()[stormArea/2:stormArea], int(o.ID)))
			w.done(t, l, o)
			ok(t, region.Free())
		})
	})
}

func TestConnectsInARow(t *testing.T) {
	eachWorld(t, func(t *testing.T, w *world) {
		start := time.Now()
		for range 100 {
			w.echo(t, 5, 1, 1)
		}
		t.Logf("100 connects with an echo each, and as many that ask: %v", time.Since(start).Round(time.Millisecond))
	})
}

// Private data of every length that both sides can.
func TestPrivateData(t *testing.T) {
	eachWorld(t, func(t *testing.T, w *world) {
		const limit = 236 // the software adapter's; siw has 251
		for _, n := range []int{0, 1, 100, limit - 1, limit} {
			o := order{Do: "private", Size: n, ID: lastID.Add(1)}
			l, err := w.try(t, &o, max(0, n-len(o.private(0))))
			if err != nil {
				t.Fatalf("%d bytes: %v", n, err)
			}
			if got := l.conn.PrivateData(); len(got) != n || check(got, int(o.ID)+1) != nil {
				t.Errorf("the answer has %d bytes of private data instead of %d: %q", len(got), n, got)
			}
			ok(t, l.say(within(t), "hello"))
			if text, err := l.hear(within(t)); err != nil || text != "hello" {
				t.Errorf("%q, %v", text, err)
			}
			w.done(t, l, &o)
			o = order{Do: "reject", Size: n, ID: lastID.Add(1)}
			_, err = w.try(t, &o, max(0, n-len(o.private(0))))
			var e *rdma.Error
			if !errors.As(err, &e) || e.Code != rdma.ErrRejected || len(e.Private) != n || check(e.Private, int(o.ID)) != nil {
				t.Errorf("rejected with %d bytes: %v, %+v", n, err, e)
			}
		}
	})
}

func TestRefused(t *testing.T) {
	eachWorld(t, func(t *testing.T, w *world) {
		at := w.address[:strings.LastIndex(w.address, ":")] + ":9"
		l, err := newLink(w.adapter, 64, 2)
		ok(t, err)
		defer l.close()
		if _, err := l.Connect(within(t), at, rdma.ConnConfig{}); !errors.Is(err, rdma.ErrRefused) && !errors.Is(err, rdma.ErrUnreachable) {
			t.Errorf("a port where nobody listens: %v", err)
		}
	})
}

// Ends that either side makes. What the other side is told after an abrupt one
// depends on how far the last segments came.
func TestEnds(t *testing.T) {
	eachWorld(t, func(t *testing.T, w *world) {
		for _, c := range []struct {
			name, do string
			end      func(l *link) error // by the active side; nil: it waits
			orderly  bool
		}{
			{"the partner in order", "shutdown", nil, true},
			{"the partner abruptly", "abort", nil, false},
			{"here in order", "private", func(l *link) error { return l.conn.Shutdown(within(t)) }, true},
			{"here abruptly", "suffer", func(l *link) error { return l.conn.Abort() }, false},
		} {
			t.Run(c.name, func(t *testing.T) {
				l, o := w.dial(t, order{Do: c.do}, 64, 2, nil)
				ok(t, l.say(within(t), "hello"))
				if c.end != nil { // see TestMisuse about leaving at once
					if _, err := l.hear(within(t)); err != nil {
						t.Error(err)
					}
				}
				if c.end != nil {
					ok(t, c.end(l))
				}
				err := l.cause(within(t))
				orderly := errors.Is(err, rdma.ErrDisconnected)
				if !orderly && (c.orderly || !errors.Is(err, rdma.ErrBroken)) {
					t.Errorf("the end here: %v", err)
				}
				text := w.told(t, o)
				if c.orderly && text != fine {
					t.Errorf("the partner: %s", text)
				}
				t.Logf("here: %v\nthe partner: %s", err, text)
				// Every receive comes back once.
				for range l.count - 1 {
					rc, _, err := l.RecvCompletions().Wait(within(t), 1)
					if err != nil || rc.Status != rdma.StatusFlushed {
						t.Errorf("a receive at the end: %v, %v", rc.Status, err)
					}
				}
				var more [1]rdma.Completion
				if l.RecvCompletions().Poll(more[:]) > 0 {
					t.Errorf("one receive too many: %+v", more[0])
				}
			})
		}
	})
}

// Broken rules, each way: the side that broke one and the other both learn of the end.
func TestMisuse(t *testing.T) {
	eachWorld(t, func(t *testing.T, w *world) {
		for _, how := range misuses {
			t.Run(how+" by the active side", func(t *testing.T) {
				l, o, there := w.borrow(t, 4096)
				// Offending bytes that come together with the first ones of a connection
				// bring siw's kernel down, so wait until it is past those.
				ok(t, l.say(within(t), "1"))
				if text, err := l.hear(within(t)); err != nil || text != fine {
					t.Fatalf("%q, %v", text, err)
				}
				ok(t, l.misuse(within(t), how, there))
				text := w.told(t, o)
				t.Logf("here: %v\nthe partner: %s", context.Cause(l.conn.Context()), text)
			})
			t.Run(how+" by the partner", func(t *testing.T) {
				var region *mem.Region
				l, o := w.dial(t, order{Do: "misuse", How: how}, 64, 2, func(l *link, o *order) {
					var err error
					region, err = l.zone.Alloc(4096, mem.Local|mem.RemoteRead|mem.RemoteWrite)
					ok(t, err)
					o.lend(region.All().Remote())
				})
				ok(t, l.say(within(t), "hello"))
				err := l.cause(within(t))
				text := w.told(t, o)
				if text != fine {
					t.Errorf("the partner: %s", text)
				}
				if w.soft() && !errors.Is(err, rdma.ErrBroken) {
					t.Errorf("the end: %v", err)
				}
				for i, b := range region.Bytes() {
					if b != 0 {
						t.Fatalf("byte %d was written", i)
					}
				}
				t.Logf("here: %v", err)
				ok(t, region.Free())
			})
		}
	})
}

// soft reports whether the active side is the software adapter.
func (w *world) soft() bool { return strings.HasPrefix(w.name, "soft") }

// A message that takes a key back, each way.
func TestInvalidate(t *testing.T) {
	eachWorld(t, func(t *testing.T, w *world) {
		t.Run("by the active side", func(t *testing.T) {
			l, o := w.dial(t, order{Do: "invalidated"}, 64, 2, nil)
			ok(t, l.say(within(t), "hello"))
			err := l.invalidate(within(t), mem.Remote{})
			if text := w.told(t, o); err != nil || text != fine {
				t.Errorf("%v, and the partner: %s", err, text)
			}
		})
		t.Run("by the partner", func(t *testing.T) {
			l, o := w.dial(t, order{Do: "invalidate"}, 64, 2, nil)
			ok(t, l.say(within(t), "hello"))
			err := l.invalidated(within(t))
			if text := w.told(t, o); err != nil || text != fine {
				t.Errorf("%v, and the partner: %s", err, text)
			}
		})
	})
}
