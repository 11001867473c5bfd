package rdma_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/event"
	"github.com/godapl/godapl/rdma/mem"
)

// one waits for one completion of an endpoint's requests.
func one(t testing.TB, s *side) rdma.Completion {
	t.Helper()
	return take(t, s.conn.SendCompletions(), 1)[0]
}

func wantCompletion(t testing.TB, got rdma.Completion, want rdma.Completion) {
	t.Helper()
	if got != want {
		t.Errorf("completion\n%+v, want\n%+v", got, want)
	}
}

func TestSendAndReceive(t *testing.T) {
	onEveryPath(t, func(t *testing.T, name string) {
		x, y := connect(t, name)
		x.mem.WriteAt([]byte("one two three"), 0)
		// Gathered from three pieces, scattered into two.
		must(t, y.conn.PostRecv(rdma.Recv{Into: y.mem.Slice(0, 4), More: []mem.Slice{{}, y.mem.Slice(100, 50)}, Cookie: 1}))
		must(t, x.conn.PostSend(rdma.Send{From: x.mem.Slice(0, 4), More: []mem.Slice{x.mem.Slice(4, 4), x.mem.Slice(8, 5)}, Cookie: math.MaxUint64}))
		wantCompletion(t, one(t, x), rdma.Completion{Endpoint: x.conn.Endpoint(), Cookie: math.MaxUint64, Length: 13, Op: rdma.OpSend})
		wantCompletion(t, take(t, y.conn.RecvCompletions(), 1)[0], rdma.Completion{Endpoint: y.conn.Endpoint(), Cookie: 1, Length: 13, Op: rdma.OpRecv})
		if got := string(y.mem.Bytes()[:5]) + "|" + string(y.mem.Bytes()[99:110]); got != "one \x00|\x00two three\x00" {
			t.Errorf("received %q", got)
		}
		// An empty message takes a receive, too.
		must(t, y.conn.PostRecv(rdma.Recv{Cookie: 2}))
		must(t, x.conn.PostSend(rdma.Send{}))
		wantCompletion(t, one(t, x), rdma.Completion{Endpoint: x.conn.Endpoint(), Op: rdma.OpSend})
		wantCompletion(t, take(t, y.conn.RecvCompletions(), 1)[0], rdma.Completion{Endpoint: y.conn.Endpoint(), Cookie: 2, Op: rdma.OpRecv})
	})
}

func TestReadAndWrite(t *testing.T) {
	onEveryPath(t, func(t *testing.T, name string) {
		x, y := connect(t, name)
		x.mem.WriteAt([]byte("abcdef"), 0)
		must(t, x.conn.PostWrite(rdma.Write{From: x.mem.Slice(0, 2), More: []mem.Slice{x.mem.Slice(4, 2)}, To: y.mem.Slice(10, 8).Remote(), Cookie: 1}))
		wantCompletion(t, one(t, x), rdma.Completion{Endpoint: x.conn.Endpoint(), Cookie: 1, Length: 4, Op: rdma.OpWrite})
		w := rdma.Write{From: x.mem.Slice(0, 3), To: y.mem.Slice(30, 8).Remote(), Cookie: 3}
		must(t, x.conn.Endpoint().PostWriteOf(&w))
		w = rdma.Write{}
		wantCompletion(t, one(t, x), rdma.Completion{Endpoint: x.conn.Endpoint(), Cookie: 3, Length: 3, Op: rdma.OpWrite})
		w = rdma.Write{From: x.mem.Slice(0, 5), To: y.mem.Slice(30, 8).Remote(), Cookie: 4}
		must(t, x.conn.PostWriteOf(&w))
		w = rdma.Write{}
		wantCompletion(t, one(t, x), rdma.Completion{Endpoint: x.conn.Endpoint(), Cookie: 4, Length: 5, Op: rdma.OpWrite})
		// A read has the length of the remote memory; further room is untouched.
		x.mem.WriteAt([]byte("........"), 100)
		pieces := rdma.Read{Into: x.mem.Slice(100, 2), More: []mem.Slice{x.mem.Slice(103, 5)}, From: y.mem.Slice(10, 4).Remote(), Cookie: 2}
		if n := x.adapter.Attributes().MaxReadSegments; n == 1 {
			wantCode(t, x.conn.PostRead(pieces), rdma.ErrInvalid, "two pieces")
			t.Skip(name + " reads into one piece")
		}
		must(t, x.conn.PostRead(pieces))
		wantCompletion(t, one(t, x), rdma.Completion{Endpoint: x.conn.Endpoint(), Cookie: 2, Length: 4, Op: rdma.OpRead})
		if got := string(x.mem.Bytes()[100:108]); got != "ab.ef..." {
			t.Errorf("read %q", got)
		}
		must(t, x.conn.PostRead(rdma.Read{Into: x.mem.Slice(100, 8), From: y.mem.Slice(12, 1).Remote(), Cookie: 3}))
		wantCompletion(t, one(t, x), rdma.Completion{Endpoint: x.conn.Endpoint(), Cookie: 3, Length: 1, Op: rdma.OpRead})
		if got := string(x.mem.Bytes()[100:104]); got != "eb.e" {
			t.Errorf("read %q", got)
		}
		// Nothing at all is possible, too.
		must(t, x.conn.PostRead(rdma.Read{Into: x.mem.Slice(0, 8), From: y.mem.Slice(12, 0).Remote()}))
		wantCompletion(t, one(t, x), rdma.Completion{Endpoint: x.conn.Endpoint(), Op: rdma.OpRead})
		must(t, x.conn.PostWrite(rdma.Write{To: y.mem.Slice(12, 0).Remote()}))
		wantCompletion(t, one(t, x), rdma.Completion{Endpoint: x.conn.Endpoint(), Op: rdma.OpWrite})
	})
}

func TestAtomics(t *testing.T) {
	onEveryPath(t, func(t *testing.T, name string) {
		x, y := connect(t, name)
		if !x.conn.Caps().Atomics {
			t.Skipf("the connection over %s has no atomics, as its Caps say", x.conn.Path())
		}
		word := y.mem.Bytes()[16:24]
		binary.NativeEndian.PutUint64(word, 40)
		at, into := y.mem.Slice(16, 8).Remote(), x.mem.Slice(0, 8)
		former := func() uint64 { return binary.NativeEndian.Uint64(into.Bytes()) }
		must(t, x.conn.PostFetchAdd(rdma.FetchAdd{Into: into, At: at, Add: 2, Cookie: 1}))
		wantCompletion(t, one(t, x), rdma.Completion{Endpoint: x.conn.Endpoint(), Cookie: 1, Length: 8, Op: rdma.OpFetchAdd})
		if former() != 40 || binary.NativeEndian.Uint64(word) != 42 {
			t.Errorf("fetch-add: was %d, is %d", former(), binary.NativeEndian.Uint64(word))
		}
		for i, c := range []struct{ compare, is uint64 }{{41, 42}, {42, 7}} {
			must(t, x.conn.PostCompareSwap(rdma.CompareSwap{Into: into, At: at, Compare: c.compare, Swap: 7, Cookie: 2}))
			wantCompletion(t, one(t, x), rdma.Completion{Endpoint: x.conn.Endpoint(), Cookie: 2, Length: 8, Op: rdma.OpCompareSwap})
			if former() != 42 || binary.NativeEndian.Uint64(word) != c.is {
				t.Errorf("compare-swap %d: was %d, is %d", i, former(), binary.NativeEndian.Uint64(word))
			}
		}
	})
}

func TestImmediateAndInvalidate(t *testing.T) {
	onEveryPath(t, func(t *testing.T, name string) {
		x, y := connect(t, name)
		caps := x.conn.Caps()
		got := func() rdma.Completion { return take(t, y.conn.RecvCompletions(), 1)[0] }
		post := func(cookie uint64) {
			must(t, y.conn.PostRecv(rdma.Recv{Into: y.mem.Slice(0, 64), Cookie: cookie}))
		}
		post(1)
		err := x.conn.PostSend(rdma.Send{From: x.mem.Slice(0, 5), Immediate: 0xdeadbeef, Flags: rdma.WithImmediate})
		if caps.SendImmediate {
			must(t, err)
			if c := one(t, x); c.Op != rdma.OpSendImm || c.Err() != nil {
				t.Errorf("%+v", c)
			}
			wantCompletion(t, got(), rdma.Completion{Endpoint: y.conn.Endpoint(), Cookie: 1, Length: 5, Op: rdma.OpRecvImm, Immediate: 0xdeadbeef})
			post(1)
		} else {
			wantCode(t, err, rdma.ErrUnsupported, "send with immediate data")
		}
		err = x.conn.PostWrite(rdma.Write{From: x.mem.Slice(0, 5), To: y.mem.Slice(100, 5).Remote(), Immediate: 77, Flags: rdma.WithImmediate | rdma.Solicited})
		if caps.WriteImmediate {
			must(t, err)
			if c := one(t, x); c.Op != rdma.OpWriteImm || c.Err() != nil {
				t.Errorf("%+v", c)
			}
			c := got()
			c.Length = 0 // of the write, or of the receive: adapters differ
			wantCompletion(t, c, rdma.Completion{Endpoint: y.conn.Endpoint(), Cookie: 1, Op: rdma.OpRecvWriteImm, Immediate: 77})
			post(1)
		} else {
			wantCode(t, err, rdma.ErrUnsupported, "write with immediate data")
		}
		needsWindows(t, name)
		w, err := y.zone.NewWindow(mem.EndpointWindow)
		must(t, err)
		lent, err := y.conn.Bind(within(t), w, y.mem.Slice(0, 64), mem.RemoteRead)
		must(t, err)
		must(t, x.conn.PostRead(rdma.Read{Into: x.mem.Slice(0, 64), From: lent}))
		if c := one(t, x); c.Err() != nil {
			t.Fatal(c.Err())
		}
		err = x.conn.PostSend(rdma.Send{From: x.mem.Slice(0, 5), Invalidate: lent.Key})
		if !caps.SendInvalidate {
			wantCode(t, err, rdma.ErrUnsupported, "send with invalidate")
			return
		}
		must(t, err)
		if c := one(t, x); c.Op != rdma.OpSendInvalidate || c.Err() != nil {
			t.Errorf("%+v", c)
		}
		wantCompletion(t, got(), rdma.Completion{Endpoint: y.conn.Endpoint(), Cookie: 1, Length: 5, Op: rdma.OpRecvInvalidate, Invalidated: lent.Key})
		must(t, x.conn.PostRead(rdma.Read{Into: x.mem.Slice(0, 64), From: lent}))
		if c := one(t, x); c.Err() == nil {
			t.Error("the invalidated key is good")
		}
	})
}

// TestRefusedPosts is what a post tells at once, and that it then posts nothing.
func TestRefusedPosts(t *testing.T) {
	onEveryPath(t, func(t *testing.T, name string) {
		x, y := connect(t, name)
		zone2, err := x.adapter.NewZone()
		must(t, err)
		foreign, err := zone2.Alloc(64, mem.All)
		must(t, err)
		freed, err := x.zone.Alloc(64, mem.All)
		must(t, err)
		late := freed.All()
		must(t, freed.Free())
		reader, err := x.zone.RegisterAgain(x.mem, mem.LocalRead)
		must(t, err)
		writer, err := x.zone.RegisterAgain(x.mem, mem.LocalWrite)
		must(t, err)
		far := y.mem.Remote()
		ok := x.mem.Slice(0, 8)
		many := []mem.Slice{ok, ok, ok, ok}
		c := x.conn
		send := func(s mem.Slice, f rdma.Flags, more ...mem.Slice) error {
			return c.PostSend(rdma.Send{From: s, More: more, Flags: f})
		}
		recv := func(s mem.Slice, f rdma.Flags, more ...mem.Slice) error {
			return c.PostRecv(rdma.Recv{Into: s, More: more, Flags: f})
		}
		read := func(s mem.Slice, r mem.Remote, f rdma.Flags, more ...mem.Slice) error {
			return c.PostRead(rdma.Read{Into: s, From: r, More: more, Flags: f})
		}
		write := func(s mem.Slice, r mem.Remote, f rdma.Flags, more ...mem.Slice) error {
			return c.PostWrite(rdma.Write{From: s, To: r, More: more, Flags: f})
		}
		add := func(s mem.Slice, r mem.Remote, f rdma.Flags) error {
			return c.PostFetchAdd(rdma.FetchAdd{Into: s, At: r, Flags: f})
		}
		swap := func(s mem.Slice, r mem.Remote, f rdma.Flags) error {
			return c.PostCompareSwap(rdma.CompareSwap{Into: s, At: r, Flags: f})
		}
		for what, want := range map[string]struct {
			err  error
			code rdma.Code
			says string
		}{
			"send range":          {send(x.mem.Slice(0, 1<<20), 0), rdma.ErrInvalid, "1048576 bytes at offset 0 are not inside 65536"},
			"send freed":          {send(late, 0), rdma.ErrPrivileges, "freed"},
			"send zone":           {send(foreign.All(), 0), rdma.ErrProtection, "zone"},
			"send right":          {send(writer.Slice(0, 8), 0), rdma.ErrPrivileges, "lacks the right local-read"},
			"send second right":   {send(ok, 0, writer.Slice(0, 8)), rdma.ErrPrivileges, "lacks the right local-read"},
			"send second range":   {send(ok, 0, ok.Slice(1, 8)), rdma.ErrInvalid, "8 bytes at offset 1"},
			"send pieces":         {send(ok, 0, many...), rdma.ErrInvalid, "5 pieces, at most 4"},
			"send flags":          {send(ok, 1<<15), rdma.ErrInvalid, "unknown"},
			"send both":           {c.PostSend(rdma.Send{Invalidate: 1, Flags: rdma.WithImmediate}), rdma.ErrInvalid, "not both"},
			"receive range":       {recv(ok.Slice(9, 1), 0), rdma.ErrInvalid, "1 bytes at offset 9"},
			"receive freed":       {recv(late, 0), rdma.ErrPrivileges, "freed"},
			"receive zone":        {recv(foreign.All(), 0), rdma.ErrProtection, "zone"},
			"receive right":       {recv(reader.Slice(0, 8), 0), rdma.ErrPrivileges, "lacks the right local-write"},
			"receive pieces":      {recv(ok, 0, many...), rdma.ErrInvalid, "5 pieces"},
			"receive flags":       {recv(ok, rdma.NoCompletion), rdma.ErrInvalid, "no-completion"},
			"read right":          {read(reader.Slice(0, 8), far.Slice(0, 8), 0), rdma.ErrPrivileges, "local-write"},
			"read room":           {read(ok, far.Slice(0, 9), 0), rdma.ErrLength, "9 bytes"},
			"read rooms":          {read(ok, far.Slice(0, 17), 0, ok), rdma.ErrLength, "17 bytes"},
			"read remote range":   {read(ok, far.Slice(65536, 1), 0), rdma.ErrInvalid, "1 bytes at offset 65536"},
			"read freed":          {read(late, far.Slice(0, 8), 0), rdma.ErrPrivileges, "freed"},
			"read flags":          {read(ok, far.Slice(0, 8), rdma.Solicited), rdma.ErrInvalid, "solicited"},
			"read pieces":         {read(ok, far.Slice(0, 8), 0, many...), rdma.ErrInvalid, "5 pieces"},
			"write right":         {write(writer.Slice(0, 8), far, 0), rdma.ErrPrivileges, "lacks the right local-read"},
			"write room":          {write(ok, far.Slice(0, 7), 0), rdma.ErrLength, "8 bytes"},
			"write rooms":         {write(ok, far.Slice(0, 15), 0, ok), rdma.ErrLength, "16 bytes"},
			"write range":         {write(ok.Slice(4, 5), far, 0), rdma.ErrInvalid, "5 bytes at offset 4"},
			"write remote range":  {write(ok, far.Slice(0, 1<<20), 0), rdma.ErrInvalid, "1048576"},
			"write nothing":       {write(ok.Slice(0, 0), far.Slice(0, 1<<20), 0), rdma.ErrInvalid, "1048576"},
			"write zone":          {write(foreign.Slice(0, 8), far, 0), rdma.ErrProtection, "zone"},
			"write solicited":     {write(ok, far, rdma.Solicited), rdma.ErrInvalid, "solicited"},
			"add right":           {add(reader.Slice(0, 8), far, 0), rdma.ErrPrivileges, "local-write"},
			"add short":           {add(ok.Slice(0, 7), far, 0), rdma.ErrLength, "8 bytes"},
			"add remote short":    {add(ok, far.Slice(0, 7), 0), rdma.ErrLength, "8 bytes"},
			"add alignment":       {add(ok, far.Slice(4, 8), 0), rdma.ErrInvalid, "multiple of 8"},
			"add range":           {add(ok.Slice(8, 8), far, 0), rdma.ErrInvalid, "8 bytes at offset 8"},
			"add remote range":    {add(ok, far.Slice(1, 65536), 0), rdma.ErrInvalid, "65536 bytes at offset 1"},
			"add flags":           {add(ok, far, rdma.WithImmediate), rdma.ErrInvalid, "with-immediate"},
			"swap freed":          {swap(late, far, 0), rdma.ErrPrivileges, "freed"},
			"swap alignment":      {swap(ok, far.Slice(1, 8), 0), rdma.ErrInvalid, "multiple of 8"},
			"send of shared read": {recv(x.mem.Slice(-1, 4), 0), rdma.ErrInvalid, "offset -1"},
		} {
			if !errors.Is(want.err, want.code) || !strings.Contains(want.err.Error(), want.says) {
				t.Errorf("%s: %v, want %v and %q", what, want.err, want.code, want.says)
			}
		}
		if s, r := c.Outstanding(); s != 0 || r != 0 {
			t.Errorf("refused posts left %d requests and %d receives", s, r)
		}
		// The connection has not suffered.
		if _, err := c.Write(within(t), ok, far); err != nil {
			t.Error(err)
		}
	})
}

func TestQueueFull(t *testing.T) {
	onEveryPath(t, func(t *testing.T, name string) {
		x, y := newSide(t, name), newSide(t, name)
		q, err := x.adapter.NewCompletionQueue(rdma.CompletionQueueConfig{Depth: 3}) // with room for no more than that
		must(t, err)
		join(t, x, y, rdma.EndpointConfig{Zone: x.zone, SendCQ: q, SendDepth: 3, RecvDepth: 2}, rdma.EndpointConfig{Zone: y.zone})
		far := y.mem.Slice(0, 8).Remote()
		n := 0
		for x.conn.PostWrite(rdma.Write{From: x.mem.Slice(0, 8), To: far}) == nil {
			n++
		}
		wantCode(t, x.conn.PostWrite(rdma.Write{From: x.mem.Slice(0, 8), To: far}), rdma.ErrQueueFull, "full")
		if n != 3 {
			t.Errorf("%d requests fit", n)
		}
		take(t, q.Dispatcher(), 1)
		must(t, x.conn.PostWrite(rdma.Write{From: x.mem.Slice(0, 8), To: far}))
		must(t, x.conn.PostRecv(rdma.Recv{}))
		must(t, x.conn.PostRecv(rdma.Recv{}))
		wantCode(t, x.conn.PostRecv(rdma.Recv{}), rdma.ErrQueueFull, "receives")
	})
}

// TestSuppress: successes leave nothing and cost no room; failures show.
func TestSuppress(t *testing.T) {
	onEveryPath(t, func(t *testing.T, name string) {
		x, y := connect(t, name, func(a, p *rdma.EndpointConfig) { a.SendDepth = 4 })
		far := y.mem.Slice(0, 8).Remote()
		ctx := within(t)
		for i := range 100 {
			for {
				err := x.conn.PostWrite(rdma.Write{From: x.mem.Slice(0, 8), To: far, Flags: rdma.NoCompletion, Cookie: uint64(i)})
				if err == nil {
					break
				}
				if !errors.Is(err, rdma.ErrQueueFull) || ctx.Err() != nil {
					t.Fatal(i, err)
				}
				event.ProviderOf(x.conn.SendCompletions()).Pump() // drives progress
			}
		}
		// Suppressed ones are done before a later one is.
		if _, err := x.conn.Write(ctx, x.mem.Slice(0, 8), far); err != nil {
			t.Fatal(err)
		}
		if n := x.conn.SendCompletions().Poll(make([]rdma.Completion, 4)); n != 0 {
			t.Errorf("%d completions of suppressed successes", n)
		}
		must(t, x.conn.Abort())
		<-x.conn.Context().Done()
		must(t, x.conn.PostWrite(rdma.Write{From: x.mem.Slice(0, 8), To: far, Flags: rdma.NoCompletion, Cookie: 5}))
		if c := one(t, x); c.Status != rdma.StatusFlushed || c.Cookie != 5 {
			t.Errorf("%+v", c)
		}
	})
}

// TestUnsignalled: the completion is there, but wakes nobody before the next
// one.
func TestUnsignalled(t *testing.T) {
	onEveryPath(t, func(t *testing.T, name string) {
		x, y := connect(t, name)
		far := y.mem.Slice(0, 8).Remote()
		type answer struct {
			c    rdma.Completion
			more int
			err  error
		}
		got := make(chan answer, 1)
		parked := make(chan struct{})
		ctx := within(t)
		go func() {
			close(parked)
			c, more, err := x.conn.SendCompletions().Wait(ctx, 1)
			got <- answer{c, more, err}
		}()
		<-parked
		for i := range 3 {
			must(t, x.conn.PostWrite(rdma.Write{From: x.mem.Slice(0, 8), To: far, Flags: rdma.NoWake, Cookie: uint64(i)}))
		}
		must(t, x.conn.PostWrite(rdma.Write{From: x.mem.Slice(0, 8), To: far, Cookie: 3}))
		seen := map[uint64]rdma.Flags{}
		a := <-got
		must(t, a.err)
		seen[a.c.Cookie] = a.c.Flags
		for _, c := range take(t, x.conn.SendCompletions(), 3) {
			seen[c.Cookie] = c.Flags
		}
		if len(seen) != 4 || seen[0] != rdma.NoWake || seen[3] != 0 {
			t.Errorf("completions %v", seen)
		}
	})
}

// TestRemoteRefusals: what the peer's memory does not allow ends the connection
// and touches nothing.
func TestRemoteRefusals(t *testing.T) {
	onEveryPath(t, func(t *testing.T, name string) {
		for what, choose := range map[string]func(t *testing.T, y *side) mem.Remote{
			"no right": func(t *testing.T, y *side) mem.Remote {
				r, err := y.zone.RegisterAgain(y.mem, mem.Local|mem.RemoteRead)
				must(t, err)
				return r.Slice(0, 8).Remote()
			},
			"freed": func(t *testing.T, y *side) mem.Remote {
				r, err := y.zone.RegisterAgain(y.mem, mem.All)
				must(t, err)
				defer r.Free()
				return r.Slice(0, 8).Remote()
			},
			"other zone": func(t *testing.T, y *side) mem.Remote {
				z, err := y.adapter.NewZone()
				must(t, err)
				r, err := z.RegisterAgain(y.mem, mem.All)
				must(t, err)
				return r.Slice(0, 8).Remote()
			},
			"behind the end": func(t *testing.T, y *side) mem.Remote {
				r := y.mem.Remote()
				return mem.Remote{Key: r.Key, Addr: r.Addr + r.Length - 4, Length: 8}
			},
			"guessed key": func(t *testing.T, y *side) mem.Remote {
				r := y.mem.Slice(0, 8).Remote()
				r.Key ^= 1
				return r
			},
		} {
			t.Run(what, func(t *testing.T) {
				x, y := connect(t, name)
				x.mem.WriteAt([]byte("intruder"), 0)
				before := bytes.Clone(y.mem.Bytes())
				must(t, x.conn.PostWrite(rdma.Write{From: x.mem.Slice(0, 8), To: choose(t, y), Cookie: 1}))
				<-x.conn.Context().Done()
				<-y.conn.Context().Done()
				if !iwarp(t, name) { // whose devices may make an orderly end of it
					wantCode(t, context.Cause(x.conn.Context()), rdma.ErrBroken, "this side")
					wantCode(t, context.Cause(y.conn.Context()), rdma.ErrBroken, "the peer")
				}
				c := one(t, x)
				if x.conn.Acked() && c.Status != rdma.StatusRemoteAccess || c.Cookie != 1 {
					t.Errorf("%+v", c)
				}
				if !bytes.Equal(before, y.mem.Bytes()) {
					t.Error("memory was touched")
				}
				if x.conn.Acked() {
					var e *rdma.Error
					if err := c.Err(); !errors.As(err, &e) || e.Code != rdma.ErrWork || e.Status != rdma.StatusRemoteAccess || e.Detail == "" {
						t.Errorf("%v", err)
					}
				}
			})
		}
	})
}

// TestFreeWithWorkPosted: it succeeds, and the work fails when its turn comes.
func TestFreeWithWorkPosted(t *testing.T) {
	onEveryPath(t, func(t *testing.T, name string) {
		x, y := connect(t, name)
		into, err := y.zone.Alloc(64, mem.LocalWrite)
		must(t, err)
		must(t, y.conn.PostRecv(rdma.Recv{Into: into.All(), Cookie: 9}))
		must(t, into.Free())
		must(t, x.conn.PostSend(rdma.Send{From: x.mem.Slice(0, 8)}))
		if c := take(t, y.conn.RecvCompletions(), 1)[0]; !refusedHere(name, c.Status) || c.Cookie != 9 {
			t.Errorf("%+v", c)
		}
		<-x.conn.Context().Done()
	})
}
