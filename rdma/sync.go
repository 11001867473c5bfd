package rdma

import (
	"context"
	"encoding/binary"
	"errors"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/rdma/mem"
)

// Send sends a message and waits until its memory may be reused.
//
// Send posts, waits for room if the queue is full, and waits for the completion. It can be
// used while other goroutines read SendCompletions, which does not get this completion. The
// errors are those of [Endpoint.PostSend], those of [Completion.Err], the cause of the
// connection's end, and, once ctx is done, ErrTimeout or ErrCanceled with the context's cause.
// In that case the operation continues and the memory belongs to the adapter until it
// completes: do not change or reuse the memory before [Endpoint.Outstanding] is 0, the
// connection has ended, or its region has been freed. Its completion is then dropped.
func (c *Conn) Send(ctx context.Context, from mem.Slice) error {
	var wr hca.SendWR
	if err := c.link.lowerSend(&wr, &Send{From: from}, nil); err != nil {
		return c.link.refused("send", err)
	}
	_, err := c.request(ctx, "send", wr)
	return err
}

// Read reads from.Length bytes of the peer's memory and returns that number. For ctx and
// ownership see Send.
func (c *Conn) Read(ctx context.Context, into mem.Slice, from mem.Remote) (int, error) {
	var wr hca.SendWR
	if err := c.link.lowerRead(&wr, &Read{Into: into, From: from}, nil); err != nil {
		return 0, c.link.refused("read", err)
	}
	return c.request(ctx, "read", wr)
}

// Write writes from.Len() bytes to the peer's memory and returns that number. For ctx and
// ownership see Send, for what success proves [Conn.Acked].
func (c *Conn) Write(ctx context.Context, from mem.Slice, to mem.Remote) (int, error) {
	var wr hca.SendWR
	if err := c.link.lowerWrite(&wr, &Write{From: from, To: to}, nil); err != nil {
		return 0, c.link.refused("write", err)
	}
	return c.request(ctx, "write", wr)
}

// request posts a request for a call and waits for it.
func (c *Conn) request(ctx context.Context, op string, wr hca.SendWR) (int, error) {
	if over(ctx) {
		return 0, contextError(ctx, op, c.link.object(), nothingBegun)
	}
	l := c.link
	k := l.calls.open(l.sendQ)
	if err := l.postCall(ctx, op, k, wr); err != nil {
		return 0, err
	}
	return l.finishCall(ctx, op, k, goesOnWithMemory)
}

// postCall posts a request for a call, and waits for room if needed. If it fails, it frees the
// call.
func (l *link) postCall(ctx context.Context, op string, k *call, wr hca.SendWR) error {
	err := l.tryCall(k, wr)
	if errors.Is(err, hca.QueueFull) {
		return l.insist(ctx, op, k, wr)
	}
	if err != nil {
		l.calls.unposted(k)
	}
	return l.told(op, err)
}

// tryCall posts a request for a call.
func (l *link) tryCall(k *call, wr hca.SendWR) error {
	wr.ID, wr.Flags = k.id, wr.Flags|hca.Private
	return l.poster().PostSend(wr)
}

// insist is a separate function so that only a full queue causes an allocation.
func (l *link) insist(ctx context.Context, op string, k *call, wr hca.SendWR) error {
	err := l.whenThereIsRoom(ctx, op, l.sendQ, func() error { return l.tryCall(k, wr) })
	if err != nil {
		l.calls.unposted(k)
	}
	return l.told(op, err)
}

// finishCall waits for a call and ends it. left describes, for the error, what stays in
// progress when ctx ends.
func (l *link) finishCall(ctx context.Context, op string, k *call, left string) (int, error) {
	if !k.await(ctx) {
		return 0, contextError(ctx, op, l.object(), left)
	}
	done := k.c
	l.calls.close(k)
	if err := l.callError(ctx, op, &done); err != nil {
		return 0, err
	}
	return done.Length, nil
}

// FetchAdd atomically adds to 8 bytes of the peer's memory and returns their former value. For
// ctx see Send; no memory of the program is used.
func (c *Conn) FetchAdd(ctx context.Context, at mem.Remote, add uint64) (uint64, error) {
	return c.atomic(ctx, "fetch-add", at, hca.SendWR{Op: hca.OpFetchAdd, Operand: add})
}

// CompareSwap atomically sets 8 bytes of the peer's memory to swap if they equal compare, and
// returns their former value. For ctx see Send; no memory of the program is used.
func (c *Conn) CompareSwap(ctx context.Context, at mem.Remote, compare, swap uint64) (uint64, error) {
	return c.atomic(ctx, "compare-swap", at, hca.SendWR{Op: hca.OpCompareSwap, Operand: swap, Compare: compare})
}

func (c *Conn) atomic(ctx context.Context, op string, at mem.Remote, wr hca.SendWR) (uint64, error) {
	if over(ctx) {
		return 0, contextError(ctx, op, c.link.object(), nothingBegun)
	}
	l := c.link
	into, err := l.scratch.get()
	if err != nil {
		return 0, l.refused(op, err)
	}
	if err := l.lowerAtomic(&wr, into, &at, 0); err != nil {
		l.scratch.put(into)
		return 0, l.refused(op, err)
	}
	k := l.calls.open(l.sendQ)
	k.lent, k.lender = into, &l.scratch
	if err := l.postCall(ctx, op, k, wr); err != nil {
		return 0, err
	}
	if !k.await(ctx) {
		return 0, contextError(ctx, op, l.object(), goesOn)
	}
	done := k.c
	var former uint64
	err = l.callError(ctx, op, &done)
	if err == nil {
		if b := into.Bytes(); len(b) == 8 {
			former = binary.NativeEndian.Uint64(b)
		}
		if into.Bytes() == nil { // freed meanwhile: the value may be invalid
			former, err = 0, hca.NewError(hca.Closed, op, l.object(), "its connection was given up before the value was taken")
		}
	}
	l.calls.close(k)
	return former, err
}

// Bind lends memory to peers through a window and waits until they may use it. An empty slice
// unbinds. For ctx see Send: the bind continues after ctx is done.
func (c *Conn) Bind(ctx context.Context, w *mem.Window, to mem.Slice, rights mem.Rights) (mem.Remote, error) {
	if over(ctx) {
		return mem.Remote{}, contextError(ctx, "bind", c.link.object(), nothingBegun)
	}
	l := c.link
	k := l.calls.open(l.sendQ)
	b := &Bind{Window: w, To: to, Rights: rights}
	remote, err := l.postBind(k, b, hca.Private, false)
	if errors.Is(err, hca.QueueFull) { // an allocation is acceptable on this path
		err = l.whenThereIsRoom(ctx, "bind", l.sendQ, func() (err error) {
			remote, err = l.postBind(k, b, hca.Private, false)
			return err
		})
	}
	if err != nil {
		l.calls.unposted(k)
		return mem.Remote{}, l.refused("bind", err)
	}
	if _, err := l.finishCall(ctx, "bind", k, goesOn); err != nil {
		return mem.Remote{}, err
	}
	return remote, nil
}
