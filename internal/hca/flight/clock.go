package flight

import (
	"context"
	"sync/atomic"
	"time"
)

// Tick is how exact times are where events follow each other closely.
const Tick = 10 * time.Millisecond

// A Clock counts ticks. The recorders of an adapter share it.
type Clock struct{ ticks atomic.Uint32 }

// Run ticks until the context ends.
func (c *Clock) Run(ctx context.Context) {
	t := time.NewTicker(Tick)
	defer t.Stop()
	for {
		c.ticks.Add(1)
		select {
		case <-t.C:
		case <-ctx.Done():
			return
		}
	}
}
