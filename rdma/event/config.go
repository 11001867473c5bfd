package event

import (
	"math"
	"time"
)

// Config describes a dispatcher. The zero value is valid.
type Config struct {
	// Name identifies the dispatcher in errors.
	Name string
	// Depth is the number of events that can be queued (uDAPL: evd_min_qlen). Below 1: 256.
	// Memory is allocated as events arrive.
	Depth int
	// Overflow is called with an *Error of code ErrOverflow when a provider's event is lost
	// because the queue is full. It is called once, until there has been room again. It runs
	// on the producer's goroutine, without a lock of the dispatcher except possibly the drain
	// lock. It must not block or take events. nil: losses are only counted
	// ([Stats].Lost).
	Overflow func(error)
	// Burst is the number of times that a wait polls the dispatcher's sources before it
	// blocks. 0: 64. Negative: none. While such polls find nothing, for example because the
	// peer needs the same CPU, most waits skip them. The goroutine of a channel does not
	// poll before it blocks.
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

// setEager is [Provider.SetEager].
func (d *Dispatcher[T]) setEager(looks int) { d.eager.Store(int32(min(max(looks, 0), math.MaxInt32))) }

// setBurst is [Provider.SetBurst].
func (d *Dispatcher[T]) setBurst(looks int) {
	if looks == 0 {
		looks = defaultBurst
	}
	d.burst.Store(int32(min(max(looks, 0), math.MaxInt32)))
}
