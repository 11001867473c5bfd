package rdma

import (
	"context"
	"errors"
	"time"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/wait"
)

// roomLook is the interval at which a call polls for room in a full queue. Usually a
// completion wakes the call, but requests with NoCompletion make room without a completion.
const roomLook = time.Millisecond

// roomWait posts until there is room.
type roomWait struct {
	q    *CompletionQueue
	post func() error
	err  error
}

// Look implements wait.Waitable.
func (r *roomWait) Look() bool {
	r.q.pump()
	r.err = r.post()
	return !errors.Is(r.err, hca.QueueFull)
}

// Arm implements wait.Waitable.
func (r *roomWait) Arm() { r.q.arm() }

// whenThereIsRoom repeats a post that found its queue full, until the post is accepted or
// refused for another reason, or ctx is done.
func (l *link) whenThereIsRoom(ctx context.Context, op string, q *CompletionQueue, post func() error) error {
	r := roomWait{q: q, post: post}
	var cell wait.Cell
	for {
		switch q.sleep(&cell, &r, wait.Options{Done: ctx.Done(), Timeout: roomLook}) {
		case wait.Ready:
			return r.err
		case wait.Done:
			return contextError(ctx, op, l.object(), nothingPosted)
		}
	}
}
