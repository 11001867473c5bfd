package status

import (
	"math"
	"math/bits"
	"time"
)

// LatencyRanges is how many buckets a [Latency] has: one for times below 64 ns, four for each power of two from
// there to 34 s, and one for longer times.
const LatencyRanges = 2 + latencyParts*(latencyMost-latencyLeast)

const (
	latencyLeast = 6  // 2^6 ns: 64 ns
	latencyMost  = 35 // 2^35 ns: 34 s
	latencyParts = 4  // buckets of a power of two
)

// Latency is a histogram of times, for example from the post of an operation to its completion. Each bucket is
// at most a quarter wider than its lower end; see [LatencyBound]. The zero value is empty. It has no lock.
type Latency struct {
	Count   uint64
	Sum     time.Duration
	Buckets [LatencyRanges]uint64
}

// LatencyBound is the time that all times in bucket i are below. That of the last bucket is the longest
// time.Duration.
func LatencyBound(i int) time.Duration {
	switch {
	case i <= 0:
		return 1 << latencyLeast
	case i >= LatencyRanges-1:
		return math.MaxInt64
	}
	octave, part := (i-1)/latencyParts, (i-1)%latencyParts
	return time.Duration(latencyParts+part+1) << (latencyLeast - 2 + octave)
}

// Record adds a time. A negative one counts as 0.
func (h *Latency) Record(d time.Duration) {
	d = max(d, 0)
	h.Count++
	h.Sum += d
	h.Buckets[latencyIndex(uint64(d))]++
}

func latencyIndex(ns uint64) int {
	switch {
	case ns < 1<<latencyLeast:
		return 0
	case ns >= 1<<latencyMost:
		return LatencyRanges - 1
	}
	log := bits.Len64(ns) - 1
	return 1 + (log-latencyLeast)*latencyParts + int(ns>>(log-2))&(latencyParts-1)
}

// Add adds the times of another histogram.
func (h *Latency) Add(x *Latency) {
	h.Count += x.Count
	h.Sum += x.Sum
	for i := range h.Buckets {
		h.Buckets[i] += x.Buckets[i]
	}
}

// Quantile is a time that a part of all times is not above, 0.99 for 99 of a hundred: the bound of the bucket
// which that time is in. It is 0 if there are none.
func (h *Latency) Quantile(part float64) time.Duration {
	if h.Count == 0 {
		return 0
	}
	rest := uint64(math.Ceil(min(max(part, 0), 1) * float64(h.Count)))
	for i, n := range h.Buckets {
		if n >= rest && n > 0 {
			return LatencyBound(i)
		}
		rest -= min(n, rest)
	}
	return LatencyBound(LatencyRanges - 1)
}
