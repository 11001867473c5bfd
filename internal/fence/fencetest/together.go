package fencetest

import (
	"runtime"
	"sync/atomic"
	"time"
)

// limit is how long Together takes at most. Two that wait for each other take a time
// slice for each round where others want the processors, too.
const limit = time.Second

// Together runs a, on the caller's goroutine, and b at the same moment, or a somewhat
// later, and check when both have ended. It does so as many times as rounds says, or as it
// can within a second, and returns how often. Rounds are counted from 1.
func Together(rounds uint64, a, b func(round uint64), check func(round uint64)) (done uint64) {
	var begun, ended atomic.Uint64
	stop := rounds + 1
	go func() {
		for r := uint64(1); ; r++ {
			if await(&begun, r) == stop {
				ended.Store(stop)
				return
			}
			b(r)
			ended.Store(r)
		}
	}()
	over := time.Now().Add(limit)
	for r := uint64(1); r <= rounds && (r%64 != 0 || time.Now().Before(over)); r++ {
		begun.Store(r)
		for range r * 7 % 1024 {
			begun.Load() // b has some way to go
		}
		a(r)
		await(&ended, r)
		check(r)
		done = r
	}
	begun.Store(stop)
	await(&ended, stop)
	return done
}

// await waits until the word is n or more.
func await(word *atomic.Uint64, n uint64) uint64 {
	for i := 1; ; i++ {
		if v := word.Load(); v >= n {
			return v
		}
		if i%1024 == 0 {
			runtime.Gosched()
		}
	}
}
