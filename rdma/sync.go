package rdma

import (
	"context"
	"encoding/binary"
	"errors"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/rdma/mem"
)

// Send sends a message and waits until its memory may be reused (uDAPL: dat_ep_post_send and
// dat_evd_wait).
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
	if err := c.session.fillSend(&wr, &Send{From: from}, nil); err != nil {
		return c.session.refused("send", err)
	}
	_, err := c.request(ctx, "send", wr)
	return err
}

// Read reads from.Length bytes of the peer's memory into the beginning of into, and returns that
// number (uDAPL: dat_ep_post_rdma_read and dat_evd_wait). For ctx, ownership and errors see Send
// and [Endpoint.PostRead].
func (c *Conn) Read(ctx context.Context, into mem.Slice, from mem.Remote) (int, error) {
	var wr hca.SendWR
	if err := c.session.fillRead(&wr, &Read{Into: into, From: from}, nil); err != nil {
		return 0, c.session.refused("read", err)
	}
	return c.request(ctx, "read", wr)
}

// Write writes from.Len() bytes to the beginning of to, in the peer's memory, and returns that
// number (uDAPL: dat_ep_post_rdma_write and dat_evd_wait). For ctx, ownership and errors see Send
// and [Endpoint.PostWrite], for what success proves [Conn.Acked].
func (c *Conn) Write(ctx context.Context, from mem.Slice, to mem.Remote) (int, error) {
	var wr hca.SendWR
	if err := c.session.fillWrite(&wr, &Write{From: from, To: to}, nil); err != nil {
		return 0, c.session.refused("write", err)
	}
	return c.request(ctx, "write", wr)
}

// request posts a request and waits for its completion.
func (c *Conn) request(ctx context.Context, op string, wr hca.SendWR) (int, error) {
	if over(ctx) {
		return 0, contextError(ctx, op, c.session.object(), nothingBegun)
	}
	defer region(ctx, op).End()
	sess := c.session
	p := sess.pending.open(sess.sendQ)
	if err := sess.postPending(ctx, op, p, wr); err != nil {
		return 0, err
	}
	return sess.finishPending(ctx, op, p, goesOnWithMemory)
}

// postPending posts the request of p, and waits for room if needed. If it fails, it frees p.
func (sess *session) postPending(ctx context.Context, op string, p *pendingOp, wr hca.SendWR) error {
	err := sess.tryPending(p, wr)
	if errors.Is(err, hca.QueueFull) {
		return sess.postPendingWhenRoom(ctx, op, p, wr)
	}
	if err != nil {
		sess.pending.unposted(p)
	}
	return sess.told(op, err)
}

// tryPending posts the request of p.
func (sess *session) tryPending(p *pendingOp, wr hca.SendWR) error {
	wr.ID, wr.Flags = p.id, wr.Flags|hca.Private
	return sess.poster().PostSend(wr)
}

// postPendingWhenRoom is a separate function so that only a full queue causes an allocation.
func (sess *session) postPendingWhenRoom(ctx context.Context, op string, p *pendingOp, wr hca.SendWR) error {
	err := sess.postWhenRoom(ctx, op, sess.sendQ, func() error { return sess.tryPending(p, wr) })
	if err != nil {
		sess.pending.unposted(p)
	}
	return sess.told(op, err)
}

// finishPending waits for p and frees it. left describes, for the error, what stays in
// progress when ctx ends.
func (sess *session) finishPending(ctx context.Context, op string, p *pendingOp, left string) (int, error) {
	if !p.await(ctx) {
		return 0, contextError(ctx, op, sess.object(), left)
	}
	done := p.c
	sess.pending.close(p)
	if err := sess.opError(ctx, op, &done); err != nil {
		return 0, err
	}
	return done.Length, nil
}

// FetchAdd atomically adds to 8 bytes of the peer's memory and returns their former value (uDAPL:
// dat_ib_post_fetch_and_add and dat_evd_wait). The address must be a multiple of 8; for the byte
// order see the type FetchAdd. For ctx see Send; no memory of the program is used.
func (c *Conn) FetchAdd(ctx context.Context, at mem.Remote, add uint64) (uint64, error) {
	return c.atomic(ctx, "fetch-add", at, hca.SendWR{Op: hca.OpFetchAdd, Operand: add})
}

// CompareSwap atomically sets 8 bytes of the peer's memory to swap if they equal compare, and
// returns their former value (uDAPL: dat_ib_post_cmp_and_swap and dat_evd_wait). For all else see
// FetchAdd.
func (c *Conn) CompareSwap(ctx context.Context, at mem.Remote, compare, swap uint64) (uint64, error) {
	return c.atomic(ctx, "compare-swap", at, hca.SendWR{Op: hca.OpCompareSwap, Operand: swap, Compare: compare})
}

func (c *Conn) atomic(ctx context.Context, op string, at mem.Remote, wr hca.SendWR) (uint64, error) {
	if over(ctx) {
		return 0, contextError(ctx, op, c.session.object(), nothingBegun)
	}
	defer region(ctx, op).End()
	sess := c.session
	into, err := sess.scratch.get()
	if err != nil {
		return 0, sess.refused(op, err)
	}
	if err := sess.fillAtomic(&wr, into, &at, 0); err != nil {
		sess.scratch.put(into)
		return 0, sess.refused(op, err)
	}
	p := sess.pending.open(sess.sendQ)
	p.lent, p.lender = into, &sess.scratch
	if err := sess.postPending(ctx, op, p, wr); err != nil {
		return 0, err
	}
	if !p.await(ctx) {
		return 0, contextError(ctx, op, sess.object(), goesOn)
	}
	done := p.c
	var former uint64
	err = sess.opError(ctx, op, &done)
	if err == nil {
		if b := into.Bytes(); len(b) == 8 {
			former = binary.NativeEndian.Uint64(b)
		}
		if into.Bytes() == nil { // freed meanwhile: the value may be invalid
			former, err = 0, hca.NewError(hca.Closed, op, sess.object(), "its connection was given up before the value was taken")
		}
	}
	sess.pending.close(p)
	return former, err
}

// Bind lends memory to peers through a window and waits until they may use it (uDAPL:
// dat_rmr_bind and dat_evd_wait). An empty slice unbinds. For the errors see
// [Endpoint.PostBind]. For ctx see Send: the bind continues after ctx is done.
func (c *Conn) Bind(ctx context.Context, w *mem.Window, to mem.Slice, rights mem.Rights) (mem.Remote, error) {
	if over(ctx) {
		return mem.Remote{}, contextError(ctx, "bind", c.session.object(), nothingBegun)
	}
	defer region(ctx, "bind").End()
	sess := c.session
	p := sess.pending.open(sess.sendQ)
	b := &Bind{Window: w, To: to, Rights: rights}
	remote, err := sess.postBind(p, b, hca.Private, false)
	if errors.Is(err, hca.QueueFull) { // an allocation is acceptable on this path
		err = sess.postWhenRoom(ctx, "bind", sess.sendQ, func() (err error) {
			remote, err = sess.postBind(p, b, hca.Private, false)
			return err
		})
	}
	if err != nil {
		sess.pending.unposted(p)
		return mem.Remote{}, sess.refused("bind", err)
	}
	if _, err := sess.finishPending(ctx, "bind", p, goesOn); err != nil {
		return mem.Remote{}, err
	}
	return remote, nil
}
