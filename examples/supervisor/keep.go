package main

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/godapl/godapl/rdma"
)

// actor is what can be kept: a mailbox.Sender, or a process.
type actor interface {
	// Context ends with the actor; its cause says why. It is rdma.ErrClosed if Close has ended it.
	Context() context.Context
	Close() error
}

// backoff is how long keep pauses before it makes an actor again: about first, then twice as long
// each time, up to most.
type backoff struct{ first, most time.Duration }

// keep makes an actor and does work with it, and this again when the actor is gone. Its work is
// linked to the actor: the context of the work ends when the actor does, and the actor is closed
// when the work ends. keep returns when the work has succeeded, or has failed although the actor
// is alive, or when ctx ends.
func keep[A actor](ctx context.Context, b backoff, dial func(context.Context) (A, error), work func(context.Context, A) error) error {
	pause := b.first
	for {
		began := time.Now()
		a, err := dial(ctx)
		if err == nil {
			err = linked(ctx, a, work)
			closing := a.Close()
			if err == nil {
				return closing
			}
			if errors.Is(context.Cause(a.Context()), rdma.ErrClosed) {
				return err // it was alive
			}
		}
		if time.Since(began) > b.most {
			pause = b.first // it was well for some time
		}
		// Half of the pause is drawn, so that many clients of one mailbox do not come at once.
		timer := time.NewTimer(pause/2 + rand.N(pause/2+1))
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return context.Cause(ctx)
		}
		pause = min(2*pause, b.most)
	}
}

// linked does work whose context ends with the actor.
func linked[A actor](ctx context.Context, a A, work func(context.Context, A) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer monitor(a.Context(), cancel)()
	return work(ctx, a)
}

// monitor tells when an actor is gone, and why. The function that it returns ends that.
func monitor(actor context.Context, tell func(cause error)) (stop func() bool) {
	return context.AfterFunc(actor, func() { tell(context.Cause(actor)) })
}
