package perf

import "runtime"

// usage is the resource usage of a process so far.
type usage struct {
	CPU      int64 // nanoseconds, user and system
	Switches int64 // context switches of its threads, voluntary or not
	Mallocs  uint64
}

func usageNow() usage {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	cpu, switches := systemUsage()
	return usage{CPU: cpu, Switches: switches, Mallocs: m.Mallocs}
}

func (u usage) plus(v usage) usage {
	return usage{u.CPU + v.CPU, u.Switches + v.Switches, u.Mallocs + v.Mallocs}
}

// less is the difference, at least nothing.
func (u usage) less(v usage) usage {
	return usage{u.CPU - min(u.CPU, v.CPU), u.Switches - min(u.Switches, v.Switches), u.Mallocs - min(u.Mallocs, v.Mallocs)}
}

// using is the resource usage of both sides while f runs and the peer does its task,
// without that of the measurement.
func using(p peer, task command, f func() error) (usage, error) {
	idle, err := usingAll(p, task, func() error { return nil })
	if err != nil {
		return usage{}, err
	}
	used, err := usingAll(p, task, f)
	return used.less(idle), err
}

func usingAll(p peer, task command, f func() error) (usage, error) {
	before, err := p.do(task)
	if err != nil {
		return usage{}, err
	}
	ours := usageNow()
	if err := f(); err != nil {
		return usage{}, err
	}
	used := usageNow().less(ours)
	after, err := p.do(task)
	return used.plus(after.Usage.less(before.Usage)), err
}
