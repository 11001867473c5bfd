package mailbox

import (
	"context"
	"fmt"
	"iter"

	"github.com/godapl/godapl/rdma"
)

// Receive takes the oldest message, and waits for one. rdma.ErrClosed when the mailbox or its adapter has been
// closed and what it held has been taken; otherwise the error is the context's cause.
func (b *Mailbox[T, R]) Receive(ctx context.Context) (m Message[T, R], err error) {
	if ctx == nil {
		return m, errNilContext
	}
	select {
	case m, ok := <-b.queue:
		if !ok {
			return m, errClosed
		}
		b.intake.taken.Add(1)
		return m, nil
	default:
	}
	b.settle()
	_, err = b.await(ctx, &m, nil, 0, 0)
	return m, err
}

// await waits for a message. Without a dst, that is the only one, in m. Otherwise m is &dst[n], messages come there and
// behind it, and the result is how many dst has: at least one more, or there is an error.
func (b *Mailbox[T, R]) await(ctx context.Context, m *Message[T, R], dst []Message[T, R], n, threshold int) (int, error) {
	g := &b.intake
	for leads := g.enter(); ; {
		var token <-chan struct{}
		if leads {
			token = g.want()
		}
		led, ok, err := false, true, error(nil)
		select {
		case <-token:
			led = true
		case *m, ok = <-b.queue:
		case <-ctx.Done():
			err = receiveError(ctx)
		}
		if leads {
			g.wanted.Add(-1)
		}
		if led {
			before := n
			if n, err = g.run(ctx, dst, n, threshold); err == errStandDown {
				leads, err = false, nil
			}
			if n == before && err == nil {
				select {
				case *m, ok = <-b.queue:
				default: // another reader has taken it
					b.settle()
					continue
				}
				led = false
			}
		}
		switch {
		case !ok:
			return n, errClosed
		case err == nil && !led && dst != nil:
			n++
		}
		g.returns(max(n, 1))
		return n, err
	}
}

func receiveError(ctx context.Context) error {
	return fmt.Errorf("mailbox: receive: %w", context.Cause(ctx))
}

// ReceiveBatch takes messages into dst. It waits until it has threshold of them, takes further
// messages that are in the mailbox, up to len(dst), and returns how many it has taken. If it returns
// an error, dst[:n] has the messages that it has taken before, which belong to the program. A call that waits may take
// all messages that arrive meanwhile, up to len(dst), before another reader has one.
//
// Answers to the messages of a batch gather: they leave with the answer to the last of them, with the next
// ReceiveBatch, or when another goroutine has its turn, as with Reply.
func (b *Mailbox[T, R]) ReceiveBatch(ctx context.Context, dst []Message[T, R], threshold int) (n int, err error) {
	if threshold < 1 || threshold > len(dst) {
		return 0, &rdma.Error{Op: "receive", Object: "mailbox", Code: rdma.ErrInvalid,
			Detail: fmt.Sprintf("a threshold of %d messages, for room for %d", threshold, len(dst))}
	}
	if ctx == nil {
		return 0, errNilContext
	}
	b.rest.Store(0)
	b.settle()
	n = b.ready(dst, 0)
	b.intake.taken.Add(int64(n))
	for n < threshold && err == nil {
		if n, err = b.await(ctx, &dst[n], dst, n, threshold); err == nil {
			n = b.ready(dst, n)
		}
	}
	b.rest.Store(asks(dst[:n]))
	return n, err
}

// ready takes the messages that are in the mailbox behind the first n of dst.
func (b *Mailbox[T, R]) ready(dst []Message[T, R], n int) int {
	for ; n < len(dst); n++ {
		select {
		case m, ok := <-b.queue:
			if !ok {
				return n
			}
			dst[n] = m
		default:
			return n
		}
	}
	return n
}

// asks is how many of the messages wait for an answer.
func asks[T, R any](ms []Message[T, R]) (n int64) {
	for i := range ms {
		if ms[i].ask != 0 {
			n++
		}
	}
	return n
}

// All iterates over messages as Receive takes them. The last step yields the error of Receive.
func (b *Mailbox[T, R]) All(ctx context.Context) iter.Seq2[Message[T, R], error] {
	return func(yield func(Message[T, R], error) bool) {
		for {
			m, err := b.Receive(ctx)
			if !yield(m, err) || err != nil {
				return
			}
		}
	}
}
