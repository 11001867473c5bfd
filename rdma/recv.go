package rdma

import (
	"context"
	"errors"
	"fmt"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/rdma/mem"
)

// Recv waits for a message and returns its length. It can be used while other goroutines read
// RecvCompletions: a message goes to the oldest posted receive, from any caller. With
// EndpointConfig.SolicitedOnly only solicited messages wake it. The errors are those of
// [Conn.Send].
//
// It is for programs whose peers only send messages. It does not return the immediate data of
// a message. A write with immediate data consumes a receive, too, but puts no message into the
// memory: Recv returns ErrUnsupported for it, with the peer's number in [Error].Immediate.
// [Conn.Receive] returns all of this.
//
// When ctx is done, Recv returns ErrTimeout or ErrCanceled with the context's cause. The
// receive stays posted and its memory belongs to the adapter. No message is lost: the next
// call of Recv takes the receive over instead of posting another. If that call names other
// memory, the message is copied there; if it does not fit, the error is ErrLength and the
// message stays for the next call. So a loop may call Recv with the same memory and a new
// context each time.
func (c *Conn) Recv(ctx context.Context, into mem.Slice) (int, error) {
	var done Completion
	if err := c.receive(ctx, into, &done); err != nil {
		return 0, err
	}
	if done.Op == OpRecvWriteImm {
		return 0, &hca.Error{Op: "receive", Object: c.link.object(), Code: hca.Unsupported, Immediate: done.Immediate,
			Detail: fmt.Sprintf("no message came, but a write with immediate data (%#x); call Receive where peers write so", done.Immediate)}
	}
	return done.Length, nil
}

// Receive is Recv that returns the completion: of a message ([OpRecv], [OpRecvImm] with the
// peer's number, [OpRecvInvalidate] with the revoked key), with its length, or of a write with
// immediate data ([OpRecvWriteImm]), which leaves the memory unchanged. The Cookie of the
// completion has no meaning.
func (c *Conn) Receive(ctx context.Context, into mem.Slice) (Completion, error) {
	var done Completion
	err := c.receive(ctx, into, &done)
	if err != nil {
		return Completion{}, err
	}
	done.Cookie = 0
	return done, nil
}

// receive waits for the completion of a receive.
func (c *Conn) receive(ctx context.Context, into mem.Slice, done *Completion) error {
	const op = "receive"
	if over(ctx) {
		return contextError(ctx, op, c.link.object(), nothingBegun)
	}
	l := c.link
	k := l.calls.adopt()
	if k == nil {
		var err error
		if k, err = l.postRecvCall(ctx, into); err != nil {
			return l.refused(op, err)
		}
	}
	from := k.into
	if !k.await(ctx) {
		return contextError(ctx, op, l.object(), receiveStays)
	}
	if k.c.Status == StatusOK && from != into {
		if err := l.moveMessage(k, from, into); err != nil {
			return l.refused(op, err)
		}
	}
	*done = k.c
	l.calls.close(k)
	return l.callError(ctx, op, done)
}

// postRecvCall posts a receive for a call.
func (l *link) postRecvCall(ctx context.Context, into mem.Slice) (*call, error) {
	var wr hca.RecvWR
	if err := lowerRecv(&wr, &Recv{Into: into}, l.zone, 1, nil); err != nil {
		return nil, err
	}
	k := l.calls.open(l.recvQ)
	k.recv, k.into = true, into
	wr.ID, wr.Flags = k.id, hca.Private
	err := l.qp.PostRecv(wr)
	if errors.Is(err, hca.QueueFull) {
		err = l.insistRecv(ctx, wr)
	}
	if err != nil {
		l.calls.unposted(k)
		return nil, err
	}
	return k, nil
}

// insistRecv is a separate function so that only a full queue causes an allocation.
func (l *link) insistRecv(ctx context.Context, wr hca.RecvWR) error {
	return l.whenThereIsRoom(ctx, "receive", l.recvQ, func() error { return l.qp.PostRecv(wr) })
}

// moveMessage copies the message of a receive that was taken over. The receive is complete, so
// its memory belongs to the program again.
func (l *link) moveMessage(k *call, from, into mem.Slice) error {
	n := k.c.Length
	if k.c.Op == OpRecvWriteImm {
		return nil // the memory is unchanged
	}
	b := from.Bytes()
	if n > into.Len() {
		l.calls.giveBack(k)
		return hca.NewError(hca.Length, "", "",
			fmt.Sprintf("a message of %d bytes does not fit into %d; call again with more room", n, into.Len()))
	}
	if n > len(b) {
		l.calls.close(k)
		return hca.NewError(hca.Privileges, "", "",
			"the memory of a cancelled Recv has been freed, and with it the message")
	}
	if _, err := lower(&into, l.zone, mem.LocalWrite); err != nil {
		l.calls.giveBack(k)
		return err
	}
	if n > 0 {
		if _, err := into.Region().WriteAt(b[:n], int64(into.Offset())); err != nil {
			l.calls.giveBack(k)
			return err
		}
	}
	return nil
}
