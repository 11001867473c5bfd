package rdma

import (
	"context"
	"errors"
	"time"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/wait"
)

// retryInterval is the interval at which a call polls for room in a full queue. Usually a
// completion wakes the call, but requests with NoCompletion make room without a completion,
// a program that takes completions makes room in its dispatcher, and a queue that cannot be armed
// wakes nobody.
const retryInterval = time.Millisecond

// postRetry repeats a post until there is room.
type postRetry struct {
	q    *CompletionQueue
	post func() error
	err  error
}

// Look implements wait.Waitable.
func (r *postRetry) Look() bool {
	r.q.pump()
	r.err = r.post()
	return !errors.Is(r.err, hca.QueueFull)
}

// Arm implements wait.Waitable.
func (r *postRetry) Arm() { r.q.arm() }

// postWhenRoom repeats a post that found its queue full, until the post is accepted or
// refused for another reason, or ctx is done.
func (sess *session) postWhenRoom(ctx context.Context, op string, q *CompletionQueue, post func() error) error {
	r := postRetry{q: q, post: post}
	var cell wait.Cell
	for {
		switch q.sleep(&cell, &r, wait.Options{Done: ctx.Done(), Timeout: retryInterval}) {
		case wait.Ready:
			return r.err
		case wait.Done:
			return contextError(ctx, op, sess.object(), nothingPosted)
		}
	}
}
