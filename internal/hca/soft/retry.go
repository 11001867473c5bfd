package soft

import (
	"context"
	"errors"
	"time"

	"github.com/godapl/godapl/internal/hca/soft/connreq"
	"github.com/godapl/godapl/internal/hca/soft/errno"
	"github.com/godapl/godapl/internal/shm"
)

// retryFirst is the pause before the first retry. Each further pause is twice as long.
const retryFirst = time.Millisecond

// connectRetry tries to connect, and retries as long as nobody listens and Options.ListenWait lasts.
func (a *adapter) connectRetry(ctx context.Context, try func() error) error {
	err := try()
	left := a.Options.ListenWait
	for pause := retryFirst; left > 0 && nobodyListens(err); pause *= 2 {
		pause = min(pause, left)
		left -= pause
		timer := time.NewTimer(pause)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return err
		}
		err = try()
	}
	return err
}

// nobodyListens distinguishes this from all other refusals, in which a listener exists.
func nobodyListens(err error) bool {
	return errors.Is(err, connreq.ErrNobody) || errors.Is(err, errno.Refused) || errors.Is(err, shm.ErrNobody)
}
