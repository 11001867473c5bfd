package event

import (
	"math"
	"time"
)

// Config describes a dispatcher. The zero value is good.
type Config struct {
	// Name says in errors which dispatcher it was.
	Name string
	// Depth is how many events can be queued (uDAPL: evd_min_qlen). Below 1: 256.
	// Memory for them is taken as they come.
	Depth int
	// Overflow is told, as an *Error with code Overflow, when a provider's
	// event was lost because the queue was full; once, until there has been
	// room again. It is called on the producer's goroutine with no lock of the
	// dispatcher held but possibly the drain lock; it must not block nor take
	// events. nil: only Lost counts them.
	Overflow func(error)
	// Burst is how often a wait on a dispatcher with sources looks at them
	// before it parks. 0: 64. Negative: not at all. While bursts find nothing,
	// as when the peer needs the same processor, most waits go without.
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
