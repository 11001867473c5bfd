package main

import "runtime"

// usage is the resource usage of a process so far.
type usage struct {
	CPU     int64 // nanoseconds, user and system
	Mallocs uint64
}

func usageNow() usage {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return usage{CPU: cpuTime(), Mallocs: m.Mallocs}
}

func (u usage) plus(v usage) usage { return usage{u.CPU + v.CPU, u.Mallocs + v.Mallocs} }

// less is the difference, at least nothing.
func (u usage) less(v usage) usage {
	return usage{u.CPU - min(u.CPU, v.CPU), u.Mallocs - min(u.Mallocs, v.Mallocs)}
}
