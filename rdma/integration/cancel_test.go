package integration_test

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mem"
)

// In a plugged connection, a message waits for a receive of the peer, and more data
// follows than the transport takes. Later posts do not begin until the peer posts a
// receive.
type plugged struct {
	t      *testing.T
	x, y   *side
	posted int // requests behind the plug, which included
}

func plug(t *testing.T, name string) *plugged {
	t.Helper()
	x, y := connect(t, name, 24<<20)
	p := &plugged{t: t, x: x, y: y, posted: 2}
	must(t, x.conn.PostSend(rdma.Send{From: x.mem.Slice(0, 8), Cookie: 1}))
	must(t, x.conn.PostWrite(rdma.Write{From: x.mem.Slice(8<<20, 16<<20), To: y.mem.Slice(8<<20, 16<<20).Remote(), Cookie: 2}))
	if !x.conn.Acked() {
		p.posted = 1 // the transport has the message
	}
	eventually(t, "the plug sits", func() bool { n, _ := x.conn.Outstanding(); return n == p.posted })
	return p
}

// unplug posts receives for the waiting messages, and waits until all posts have
// completed.
func (p *plugged) unplug(receives ...rdma.Recv) {
	p.t.Helper()
	must(p.t, p.y.conn.PostRecv(rdma.Recv{Into: p.y.mem.Slice(0, 8)}))
	for _, r := range receives {
		p.y.conn.PostRecv(r) // the connection may be over by now
	}
	eventually(p.t, "all is done", func() bool {
		n, _ := p.x.conn.Outstanding()
		return n == 0 || p.x.conn.Context().Err() != nil
	})
}

// cancel makes a call, which posts n requests, and cancels it when they are
// posted.
func (p *plugged) cancel(what string, n int, call func(ctx context.Context) error) {
	p.t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	returned := make(chan error, 1)
	go func() { returned <- call(ctx) }()
	p.posted += n
	eventually(p.t, what+" is posted", func() bool { k, _ := p.x.conn.Outstanding(); return k == p.posted })
	stop()
	wantCode(p.t, <-returned, rdma.ErrCanceled, what)
	if k, _ := p.x.conn.Outstanding(); k != p.posted {
		p.t.Errorf("%s: %d requests are posted after the call was cancelled, want %d", what, k, p.posted)
	}
}

func second(_ int, err error) error { return err }

// TestCancelledCallKeepsItsMemory cancels calls whose operations have not begun.
// The operations are carried out later. They use the memory of the call, with the data
// that it had at the time of the call, and no other memory.
func TestCancelledCallKeepsItsMemory(t *testing.T) {
	for _, name := range paths {
		t.Run(name, func(t *testing.T) {
			p := plug(t, name)
			x, y := p.x, p.y
			const n = 64 << 10
			here, there := x.mem.Bytes(), y.mem.Bytes()
			at := func(i int) int { return (1 + i) * 2 * n } // with a gap behind
			for i := range 4 {
				paint(here[at(i):at(i)+n], i)
			}
			p.cancel("write", 1, func(ctx context.Context) error {
				return second(x.conn.Write(ctx, x.mem.Slice(at(0), n), y.mem.Slice(at(0), n).Remote()))
			})
			p.cancel("send", 1, func(ctx context.Context) error { return x.conn.Send(ctx, x.mem.Slice(at(1), n)) })
			paint(there[at(2):at(2)+n], 20)
			p.cancel("read", 1, func(ctx context.Context) error {
				return second(x.conn.Read(ctx, x.mem.Slice(at(2), n), y.mem.Slice(at(2), n).Remote()))
			})
			counter := y.mem.Slice(at(3), 8)
			for range 3 {
				p.cancel("fetch-add", 1, func(ctx context.Context) error {
					_, err := x.conn.FetchAdd(ctx, counter.Remote(), 1)
					return err
				})
			}
			p.cancel("compare-swap", 1, func(ctx context.Context) error {
				_, err := x.conn.CompareSwap(ctx, counter.Remote(), 3, 10)
				return err
			})
			// A caller that keeps waiting gets its own completion.
			waiting := make(chan uint64, 1)
			go func() {
				v, _ := x.conn.FetchAdd(within(t), counter.Remote(), 5)
				waiting <- v
			}()
			p.posted++
			eventually(t, "the addition is posted", func() bool { k, _ := x.conn.Outstanding(); return k == p.posted })
			p.unplug(rdma.Recv{Into: y.mem.Slice(at(1), n)})
			take(t, y.conn.RecvCompletions(), 2)
			if v := <-waiting; v != 10 {
				t.Errorf("the counter was %d, want 10", v)
			}
			for i, want := range []int{0, 1} {
				if d := differs(there[at(i):at(i)+n], want); d >= 0 {
					t.Errorf("transfer %d: byte %d is not that of the time of the call", i, d)
				}
			}
			if d := differs(here[at(2):at(2)+n], 20); d >= 0 {
				t.Errorf("read: byte %d has not come", d)
			}
			for i := range 4 {
				if !blank(there[at(i)+n:at(i+1)]) || !blank(here[at(i)+n:at(i+1)]) {
					t.Errorf("memory behind transfer %d was touched", i)
				}
			}
			if k := x.conn.SendCompletions().Poll(make([]rdma.Completion, 3)); k != 2 {
				t.Errorf("%d completions in the dispatcher, want the plug's 2", k)
			}
		})
	}
}

func blank(b []byte) bool {
	for _, v := range b {
		if v != 0 {
			return false
		}
	}
	return true
}

// TestCancelledReaderAndWriter cancels ReadAt and WriteAt. The program may use its slice
// again at once. A buffer of the library is not used for the next call while the adapter
// still uses it.
func TestCancelledReaderAndWriter(t *testing.T) {
	for _, name := range paths {
		t.Run(name, func(t *testing.T) {
			p := plug(t, name)
			x, y := p.x, p.y
			const n = 1 << 20 // four requests
			first, other := y.mem.Slice(n, n), y.mem.Slice(2*n, n)
			source := y.mem.Slice(3*n, n)
			paint(source.Bytes(), 3)
			b := make([]byte, n)
			for i, to := range []mem.Slice{first, other} {
				paint(b, i)
				p.cancel("write", 4, func(ctx context.Context) error {
					return second(x.conn.WriterAt(ctx, to.Remote()).WriteAt(b, 0))
				})
			}
			p.cancel("read", 4, func(ctx context.Context) error {
				return second(x.conn.ReaderAt(ctx, source.Remote()).ReadAt(b, 0))
			})
			sentinel := bytes.Repeat([]byte{0xa5}, n)
			copy(b, sentinel)
			p.unplug()
			got := make([]byte, n)
			if _, err := x.conn.ReaderAt(within(t), source.Remote()).ReadAt(got, 0); err != nil || differs(got, 3) >= 0 {
				t.Errorf("the next read: %v, byte %d", err, differs(got, 3))
			}
			for i, to := range []mem.Slice{first, other} {
				if d := differs(to.Bytes(), i); d >= 0 {
					t.Errorf("write %d: byte %d is not that of the time of the call", i, d)
				}
			}
			if !bytes.Equal(b, sentinel) {
				t.Error("the slice of a cancelled call was changed")
			}
		})
	}
}

// TestFreeGetsTheMemoryBack cancels calls on memory that is a slice of the
// program's, and frees the region: from then on nothing is written to the slice
// or read from it.
func TestFreeGetsTheMemoryBack(t *testing.T) {
	const n = 256 << 10
	calls := map[string]func(ctx context.Context, p *plugged, s mem.Slice) error{
		"read": func(ctx context.Context, p *plugged, s mem.Slice) error {
			return second(p.x.conn.Read(ctx, s, p.y.mem.Slice(n, n).Remote()))
		},
		"write": func(ctx context.Context, p *plugged, s mem.Slice) error {
			return second(p.x.conn.Write(ctx, s, p.y.mem.Slice(2*n, n).Remote()))
		},
		"send": func(ctx context.Context, p *plugged, s mem.Slice) error { return p.x.conn.Send(ctx, s) },
	}
	for _, name := range paths {
		for what, call := range calls {
			t.Run(name+"/"+what, func(t *testing.T) {
				p := plug(t, name)
				paint(p.y.mem.Slice(n, n).Bytes(), 1)
				into := p.y.mem.Slice(2*n, n)
				b := make([]byte, n)
				r := made(p.x.zone.Register(b, mem.All))(t)
				p.cancel(what, 1, func(ctx context.Context) error { return call(ctx, p, r.All()) })
				must(t, r.Free())
				sentinel := bytes.Repeat([]byte{0xa5}, n)
				copy(b, sentinel)
				p.unplug(rdma.Recv{Into: into})
				ended(t, p.x.conn, rdma.ErrBroken)
				ended(t, p.y.conn, rdma.ErrBroken, rdma.ErrDisconnected)
				if !bytes.Equal(b, sentinel) {
					t.Error("the slice was changed after its region was freed")
				}
				if bytes.IndexByte(into.Bytes(), 0xa5) >= 0 {
					t.Error("the slice was sent after its region was freed")
				}
			})
		}
		t.Run(name+"/receive", func(t *testing.T) {
			x, y := connect(t, name, n)
			b := make([]byte, n)
			r := made(y.zone.Register(b, mem.All))(t)
			ctx, cancel := context.WithCancel(context.Background())
			returned := make(chan error, 1)
			go func() { returned <- second(y.conn.Recv(ctx, r.All())) }()
			eventually(t, "the receive is posted", func() bool { _, k := y.conn.Outstanding(); return k == 1 })
			cancel()
			wantCode(t, <-returned, rdma.ErrCanceled, "receive")
			must(t, r.Free())
			sentinel := bytes.Repeat([]byte{0xa5}, n)
			copy(b, sentinel)
			must(t, x.conn.PostSend(rdma.Send{From: x.mem.Slice(0, n)}))
			ended(t, y.conn, rdma.ErrBroken)
			if !bytes.Equal(b, sentinel) {
				t.Error("the slice was changed after its region was freed")
			}
		})
	}
}

// TestFreeInTheMiddle frees the region of a write that is partly sent, and overwrites the
// slice. The peer has the beginning of the original data, and nothing that was written
// after Free.
func TestFreeInTheMiddle(t *testing.T) {
	for _, name := range paths {
		t.Run(name, func(t *testing.T) {
			freeInTheMiddle(t, name, func(x, y *side, target *mem.Region) {
				eventually(t, "a part is out", func() bool { return target.Bytes()[0] != 0 })
			}, nil)
		})
		t.Run(name+"/stuck", func(t *testing.T) {
			freeInTheMiddle(t, name, func(x, y *side, target *mem.Region) {
				pause(50 * time.Millisecond) // until the transport takes no more
			}, func(x, y *side) {
				must(t, y.conn.PostRecv(rdma.Recv{Into: y.mem.Slice(0, 8)}))
			})
		})
	}
}

func freeInTheMiddle(t *testing.T, name string, begun func(x, y *side, target *mem.Region), goOn func(x, y *side)) {
	const n = 32 << 20
	x, y := connect(t, name, 4096)
	target := made(y.zone.Alloc(n, mem.All))(t)
	b := make([]byte, n)
	paint(b, 1)
	r := made(x.zone.Register(b, mem.Local))(t)
	if goOn != nil { // a message without a receive delays all later requests
		must(t, x.conn.PostSend(rdma.Send{From: x.mem.Slice(0, 8), Flags: rdma.NoCompletion}))
	}
	must(t, x.conn.PostWrite(rdma.Write{From: r.All(), To: target.Remote(), Cookie: 1}))
	begun(x, y, target)
	must(t, r.Free())
	clear(b)
	if goOn != nil {
		goOn(x, y)
	}
	c := take(t, x.conn.SendCompletions(), 1)[0]
	if c.Status == rdma.StatusOK { // it was faster
		must(t, x.conn.Shutdown(within(t)))
	}
	ended(t, x.conn, rdma.ErrBroken, rdma.ErrDisconnected)
	ended(t, y.conn, rdma.ErrBroken, rdma.ErrDisconnected)
	if cause := context.Cause(y.conn.Context()); strings.Contains(cause.Error(), "CRC") {
		t.Errorf("the peer got bytes that had been overwritten: %v", cause)
	}
	there := target.Bytes()
	out := differs(there, 1)
	t.Logf("%v; %d of %d bytes were out", c.Status, out, n)
	if c.Cookie != 1 || c.Status == rdma.StatusOK && out >= 0 {
		t.Errorf("completion %+v, and byte %d is wrong", c, out)
	}
	if out >= 0 && !blank(there[out:]) {
		t.Errorf("behind byte %d there is more", out)
	}
}
