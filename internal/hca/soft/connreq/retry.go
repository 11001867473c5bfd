package connreq

import (
	"time"

	"github.com/godapl/godapl/internal/hca/soft/core"
)

// A Retry makes the loop that accepts for a listener go on behind errors of the system, for example while no descriptor is left.
type Retry struct {
	Adapter *core.Adapter

	failed int // since told
	told   time.Time
}

const (
	retryPause = 50 * time.Millisecond
	retryTell  = time.Minute // between two warnings: the loop fails twenty times a second
)

// Wait warns of the error now and then, and waits a moment. It returns false if the adapter closes meanwhile.
func (r *Retry) Wait(err error) bool {
	r.failed++
	if now := time.Now(); r.told.IsZero() || now.Sub(r.told) >= retryTell {
		r.Adapter.Log.Warn("accept", "error", err, "times", r.failed)
		r.failed, r.told = 0, now
	}
	select {
	case <-time.After(retryPause):
		return true
	case <-r.Adapter.Background.Context().Done():
		return false
	}
}
