package rdmatest_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mem"
)

// steps are what an end can do next.
func (e *programEnd) steps() []func(context.Context, *rand.Rand) error {
	all := []func(context.Context, *rand.Rand) error{
		e.sendCall, e.sendPosts, e.sendBatch, e.writeAndReadBack, e.readConstant, e.readLent, e.counting, e.writeImmediate, e.bindOwn, e.manyReads, e.fenced, e.sendImmediate, e.useLoan, e.trespass, e.objects,
		e.mixture, e.mixture, e.readAndOverwrite, e.fill, e.rest, e.sendLong, e.lend, e.giveBack, e.withdraw, e.giveUp,
	}
	if e.p.fault.name == "a call that fails" { // most calls are made there
		all = append(all, e.objects, e.objects, e.objects, e.objects)
	}
	switch { // what the program is about
	case e.withdrawing:
		all = append(all, e.withdraw, e.withdraw, e.withdraw, e.withdraw, e.withdraw)
	case e.rereading:
		all = append(all, e.reread, e.reread, e.reread, e.reread, e.reread, e.reread, e.reread, e.reread, e.reread, e.trespass, e.trespass, e.trespass)
	case e.trespassing:
		all = append(all, e.trespass, e.trespass, e.trespass, e.trespass, e.trespass)
	case e.p.fault.name == "freed memory":
		all = append(all, e.useLoan, e.useLoan, e.useLoan, e.useLoan, e.useLoan)
	}
	return all
}

func (e *programEnd) piece(draw *rand.Rand, from, most int) mem.Slice {
	n := draw.IntN(most + 1)
	return e.region.Slice(from+draw.IntN(part-n+1), n)
}

// out is something to send: a message fits into a receive.
func (e *programEnd) out(draw *rand.Rand) mem.Slice { return e.piece(draw, outAt, place) }

func (e *programEnd) sendCall(ctx context.Context, draw *rand.Rand) error {
	return e.conn.Send(ctx, e.out(draw))
}

// take takes completions, the last of them that with the given cookie, and reports the first failure.
func (e *programEnd) take(ctx context.Context, last uint64) (err error) {
	for {
		c, werr := e.sends.next(ctx)
		if werr != nil {
			return werr
		}
		if c.Err() != nil && err == nil {
			err = c.Err()
		}
		if c.Cookie == last {
			return err
		}
	}
}

func (e *programEnd) next() uint64 { e.cookie++; return e.cookie }

// sendPosts posts a few messages, some without completions, with one at the end that has one.
func (e *programEnd) sendPosts(ctx context.Context, draw *rand.Rand) error {
	for range draw.IntN(4) {
		s := rdma.Send{From: e.out(draw), Cookie: e.next()}
		if draw.IntN(2) == 0 {
			s.Flags = rdma.NoCompletion
		}
		if draw.IntN(3) == 0 {
			s.Flags |= rdma.Solicited
		}
		if err := e.conn.PostSend(s); err != nil {
			return err
		}
	}
	half := e.piece(draw, outAt, place/2)
	if err := e.conn.PostSend(rdma.Send{From: half, More: []mem.Slice{half}, Cookie: e.next(), Flags: rdma.Fence}); err != nil {
		return err
	}
	return e.take(ctx, e.cookie)
}

// sendBatch posts messages, a write and a read with one bell.
func (e *programEnd) sendBatch(ctx context.Context, draw *rand.Rand) error {
	b := e.conn.NewBatch()
	for range 1 + draw.IntN(3) {
		if err := b.Send(rdma.Send{From: e.out(draw), Cookie: e.next(), Flags: rdma.NoCompletion}); err != nil {
			return err
		}
	}
	out := e.piece(draw, outAt, part-8)
	if err := b.Write(rdma.Write{From: out, To: e.target(out.Len()), Cookie: e.next()}); err != nil {
		return err
	}
	if err := b.Read(rdma.Read{Into: e.region.Slice(intoAt, out.Len()), From: e.target(out.Len()), Cookie: e.next(), Flags: rdma.Fence}); err != nil {
		return err
	}
	if _, err := b.Post(); err != nil {
		return err
	}
	if err := e.take(ctx, e.cookie); err != nil {
		return err
	}
	return e.same("a batch", e.bytesOf(out), out.Len())
}

func (e *programEnd) target(n int) mem.Remote { return e.peer.region.Slice(targetAt, n).Remote() }

func (e *programEnd) bytesOf(s mem.Slice) []byte { return e.bytes[s.Offset() : s.Offset()+s.Len()] }

func (e *programEnd) same(what string, want []byte, n int) error {
	into := e.bytes[intoAt : intoAt+part]
	defer clear(into)
	if !bytes.Equal(into[:n], want) {
		e.failf("%s: other bytes came", what)
	}
	return nil
}

func (e *programEnd) writeAndReadBack(ctx context.Context, draw *rand.Rand) error {
	out := e.piece(draw, outAt, part-8)
	if _, err := e.conn.Write(ctx, out, e.target(out.Len())); err != nil {
		return err
	}
	if _, err := e.conn.Read(ctx, e.region.Slice(intoAt, out.Len()), e.target(out.Len())); err != nil {
		return err
	}
	return e.same("written and read back", e.bytesOf(out), out.Len())
}

func (e *programEnd) readConstant(ctx context.Context, draw *rand.Rand) error {
	n := draw.IntN(part + 1)
	at := draw.IntN(part - n + 1)
	if _, err := e.conn.Read(ctx, e.region.Slice(intoAt, n), e.peer.region.Slice(constantAt+at, n).Remote()); err != nil {
		return err
	}
	return e.same("read", patterns(constantAt+at, n), n)
}

func patterns(at, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = pattern(at + i)
	}
	return b
}

// readLent reads through the peer's window. If that is to be revoked, this end does it, and reads again: that must
// not succeed.
func (e *programEnd) readLent(ctx context.Context, draw *rand.Rand) error {
	if e.given {
		return nil
	}
	if e.revoking {
		if err := e.conn.PostSend(rdma.Send{Invalidate: e.lent.Key, Cookie: e.next()}); err != nil {
			return err
		}
		if err := e.take(ctx, e.cookie); err != nil {
			return err
		}
	}
	n := 1 + draw.IntN(part)
	_, err := e.conn.Read(ctx, e.region.Slice(intoAt, n), e.lent.Slice(0, n))
	switch {
	case err != nil:
		return err
	case e.revoking:
		e.failf("%d bytes were read through a window that was revoked", n)
	}
	return e.same("read through a window", patterns(constantAt, n), n)
}

func (e *programEnd) counting(ctx context.Context, draw *rand.Rand) error {
	at := e.peer.region.Slice(targetAt+part-8, 8).Remote()
	var before uint64
	var err error
	if draw.IntN(2) == 0 {
		before, err = e.conn.FetchAdd(ctx, at, 1)
	} else {
		before, err = e.conn.CompareSwap(ctx, at, e.count, e.count+1)
	}
	if err != nil {
		return err
	}
	if before != e.count {
		e.failf("it was %d before count %d", before, e.count+1)
	}
	e.count++
	return nil
}

func (e *programEnd) writeImmediate(ctx context.Context, draw *rand.Rand) error {
	out := e.piece(draw, outAt, 1000)
	err := e.conn.PostWrite(rdma.Write{From: out, To: e.target(out.Len()), Immediate: draw.Uint32() &^ farewell, Flags: rdma.WithImmediate, Cookie: e.next()})
	if err != nil {
		return err
	}
	return e.take(ctx, e.cookie)
}

// bindOwn binds a window and unbinds it.
func (e *programEnd) bindOwn(ctx context.Context, draw *rand.Rand) error {
	w, err := e.host.zone.NewWindow(mem.ZoneWindow)
	if err != nil {
		return err
	}
	_, err = e.conn.Bind(ctx, w, e.piece(draw, constantAt, part), mem.RemoteRead)
	if ferr := w.Free(); ferr != nil && !errors.Is(ferr, rdma.ErrClosed) {
		return fmt.Errorf("free a window: %w", ferr)
	}
	return err
}

// manyReads posts more reads than may be under way.
func (e *programEnd) manyReads(ctx context.Context, draw *rand.Rand) error {
	n := draw.IntN(part/40 + 1)
	for i := range 40 {
		err := e.conn.PostRead(rdma.Read{Into: e.region.Slice(intoAt+i*n, n), From: e.peer.region.Slice(constantAt+i*n, n).Remote(), Cookie: e.next()})
		if err != nil {
			return err
		}
	}
	if err := e.take(ctx, e.cookie); err != nil {
		return err
	}
	return e.same("many reads", patterns(constantAt, 40*n), 40*n)
}

// fenced writes what a read before it brings.
func (e *programEnd) fenced(ctx context.Context, draw *rand.Rand) error {
	n := draw.IntN(part - 8)
	into := e.region.Slice(intoAt, n)
	if err := e.conn.PostRead(rdma.Read{Into: into, From: e.peer.region.Slice(constantAt, n).Remote(), Cookie: e.next(), Flags: rdma.NoCompletion}); err != nil {
		return err
	}
	if err := e.conn.PostWrite(rdma.Write{From: into, To: e.target(n), Cookie: e.next(), Flags: rdma.Fence}); err != nil {
		return err
	}
	if err := e.take(ctx, e.cookie); err != nil {
		return err
	}
	clear(e.bytes[intoAt : intoAt+part])
	if _, err := e.conn.Read(ctx, into, e.target(n)); err != nil {
		return err
	}
	return e.same("behind a fence", patterns(constantAt, n), n)
}

// useLoan writes what the peer lends, all of it, and reads it back.
func (e *programEnd) useLoan(ctx context.Context, draw *rand.Rand) error {
	if draw.IntN(2) == 0 {
		_, err := e.conn.Read(ctx, e.region.Slice(intoAt, part), e.peer.loanAt.Slice(draw.IntN(loanSize-part), part))
		clear(e.bytes[intoAt : intoAt+part])
		return err
	}
	for at := 0; at+part <= loanSize; at += part {
		if err := e.conn.PostWrite(rdma.Write{From: e.region.Slice(outAt, part), To: e.peer.loanAt.Slice(at, part), Cookie: e.next()}); err != nil {
			return err
		}
	}
	return e.take(ctx, e.cookie)
}

func (e *programEnd) sendImmediate(ctx context.Context, draw *rand.Rand) error {
	if err := e.conn.PostSend(rdma.Send{From: e.out(draw), Immediate: draw.Uint32(), Flags: rdma.WithImmediate, Cookie: e.next()}); err != nil {
		if errors.Is(err, rdma.ErrUnsupported) { // by iWARP
			return nil
		}
		return err
	}
	return e.take(ctx, e.cookie)
}

// trespass makes requests that fail by themselves, two at once, and others between them. The first decides how the
// connection ends, and what is behind it is flushed.
func (e *programEnd) trespass(ctx context.Context, draw *rand.Rand) error {
	if !e.trespassing {
		return nil
	}
	bad := []func() error{
		func() error { // more than the window has
			return e.conn.PostRead(rdma.Read{Into: e.region.Slice(intoAt, 100), From: mem.Remote{Addr: e.lent.Addr + uint64(e.lent.Length) - 50, Length: 100, Key: e.lent.Key}, Cookie: e.next()})
		},
		func() error { // which is for reading
			return e.conn.PostWrite(rdma.Write{From: e.region.Slice(outAt, 100), To: e.lent.Slice(0, 100), Cookie: e.next()})
		},
		func() error { // more than a receive has
			return e.conn.PostSend(rdma.Send{From: e.region.Slice(outAt, part), Cookie: e.next()})
		},
	}
	first := e.cookie + 1
	for i := range 2 + draw.IntN(4) {
		var err error
		switch {
		case i == 0 || draw.IntN(2) == 0:
			err = bad[draw.IntN(len(bad))]()
		default:
			err = e.conn.PostRead(rdma.Read{Into: e.region.Slice(intoAt+i*100, 100), From: e.peer.region.Slice(constantAt, 100).Remote(), Cookie: e.next()})
		}
		if err != nil {
			break // the connection may be over
		}
	}
	causes, taken := 0, first
	for ; taken <= e.cookie; taken++ {
		c, err := e.sends.next(ctx)
		if err != nil {
			return err
		}
		switch {
		case c.Cookie != taken:
			e.failf("request %d completed, and not %d", c.Cookie, taken)
		case c.Status != rdma.StatusOK && c.Status != rdma.StatusFlushed:
			causes++
		}
	}
	if causes > 1 {
		e.failf("%d requests ended the connection", causes)
	}
	return rdma.ErrBroken
}
