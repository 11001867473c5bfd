package hca

import (
	"context"
	"time"
)

// AnswerTime is how long a peer may take to answer a connect whose context has no
// deadline. Its program has a say in that.
const AnswerTime = 10 * time.Second

// WithAnswerTime gives a context a deadline if it has none: AnswerTime from now, and
// more. The cause is then a Timeout about the address.
func WithAnswerTime(ctx context.Context, address string, more time.Duration) (context.Context, context.CancelFunc) {
	if _, ok := ctx.Deadline(); ok {
		return context.WithCancel(ctx)
	}
	limit := AnswerTime + max(0, more)
	return context.WithTimeoutCause(ctx, limit, NewError(Timeout, "connect", address,
		"no answer in "+limit.String()+": if the peer may think longer, use a context with a deadline"))
}
