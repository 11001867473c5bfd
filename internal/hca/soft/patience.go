package soft

import (
	"context"
	"errors"
	"time"

	"github.com/godapl/godapl/internal/shm"
)

// patienceFirst is the first pause between two attempts. Each is twice as long.
const patienceFirst = time.Millisecond

// connectPatiently tries to connect, and again as long as nobody listens and
// Options.ListenWait lasts.
func (a *assembly) connectPatiently(ctx context.Context, try func() error) error {
	err := try()
	left := a.opt.ListenWait
	for pause := patienceFirst; left > 0 && nobodyListens(err); pause *= 2 {
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

// nobodyListens tells that from all other refusals, which somebody has made.
func nobodyListens(err error) bool {
	return errors.Is(err, errNobody) || errors.Is(err, errnoRefused) || errors.Is(err, shm.ErrNobody)
}
