package progress

import (
	"sync/atomic"
	"time"
)

// SlowTime is how long a half may stop in the middle of something before it is slow.
const SlowTime = time.Second

// An IdleTimer detects that one half of a connection makes no progress. It reads no clock while bytes move: its
// timer starts when the half first stops in the middle of something, and then compares positions. That half's
// gate guards it, except for due.
type IdleTimer struct {
	at    int64 // position in the stream at which the half stopped
	since time.Time
	slow  bool // it has stopped for SlowTime
	due   atomic.Bool
	timer *time.Timer // nil until the half has stopped for the first time
}

// Still notes that the half has stopped at this position of the stream, and schedules a when it is time to
// check again. It reports whether that has lasted for SlowTime, and whether for d.
func (p *IdleTimer) Still(at int64, d time.Duration, a Alarm) (slow, over bool) {
	switch {
	case p.timer == nil:
		p.at, p.since = at, time.Now()
		p.timer = time.AfterFunc(SlowTime, func() {
			p.due.Store(true)
			a.Schedule()
		})
	case p.at != at && (p.slow || p.due.Load()): // it has moved on, and stopped at another position
		p.due.Store(false)
		p.at, p.since, p.slow = at, time.Now(), false
		p.timer.Reset(SlowTime)
	case p.at == at && p.due.Load():
		p.due.Store(false)
		lasted := time.Since(p.since)
		p.slow = lasted >= SlowTime
		if lasted >= d {
			return true, true
		}
		p.timer.Reset(d - lasted)
	}
	return p.slow, false
}

// Stop ends the checks.
func (p *IdleTimer) Stop() {
	if p.timer != nil {
		p.timer.Stop()
	}
}
