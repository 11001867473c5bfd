package event

import (
	"math"
	"time"
)

// Config describes a dispatcher. The zero value is good.
type Config struct {
	// Name identifies the dispatcher in errors.
	Name string
	// Depth is how many events can be queued (uDAPL: evd_min_qlen). Below 1: 256.
	// Memory for them is taken as they come.
	Depth int
	// Overflow is called with an *Error of code ErrOverflow when a provider's event is lost
	// because the queue is full. It is called once, until there has been room again. It is
	// called on the producer's goroutine without a lock of the dispatcher, except possibly the
	// drain lock. It must not block or take events. nil: the losses only count in Lost.
	Overflow func(error)
	// Burst is how often a wait polls the dispatcher's sources before it parks. 0: 64.
	// Negative: never. While bursts find nothing, for example because the peer needs the same
	// CPU, most waits skip them.
	Burst int
}

const (
	defaultDepth = 256
	defaultBurst = 64
)

// Forever, as a timeout, is no limit (uDAPL: DAT_TIMEOUT_INFINITE).
const Forever = time.Duration(1<<63 - 1)

// filled is c with the defaults in place.
func (c Config) filled() Config {
	if c.Depth < 1 {
		c.Depth = defaultDepth
	}
	return c
}

// setBurst is [Provider.SetBurst].
func (d *Dispatcher[T]) setBurst(looks int) {
	if looks == 0 {
		looks = defaultBurst
	}
	d.burst.Store(int32(min(max(looks, 0), math.MaxInt32)))
}
