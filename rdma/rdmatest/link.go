package rdmatest

import (
	"strings"
	"time"
)

// Link is the network between two hosts, in both directions. A new link takes no time and has no
// limit.
type Link struct {
	w         *World
	name      string
	latency   time.Duration // guarded by w.mu, as everything here
	bandwidth int64
	buffer    int
	parted    bool
	damaged   int // bytes that are still to be damaged
	partings  int // by chance, as are delays
	delays    time.Duration
	delivered int64
}

// Link returns the link between two hosts; the order does not matter. A host has a link to itself.
func (w *World) Link(a, b *Host) *Link {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.link(a, b)
}

func (w *World) link(a, b *Host) *Link {
	if strings.Compare(a.name, b.name) > 0 {
		a, b = b, a
	}
	l := w.links[[2]*Host{a, b}]
	if l == nil {
		l = &Link{w: w, name: a.name + "-" + b.name, buffer: buffer}
		w.links[[2]*Host{a, b}] = l
	}
	return l
}

// Latency sets how long bytes travel, one way, from now on.
func (l *Link) Latency(d time.Duration) *Link {
	return l.set("latency", func() { l.latency = d })
}

// Bandwidth limits each direction of each stream, in bytes per second; 0: no limit.
func (l *Link) Bandwidth(bytesPerSecond int) *Link {
	return l.set("bandwidth", func() { l.bandwidth = int64(bytesPerSecond) })
}

// Buffer sets how many bytes each direction of a stream holds, under way and unread, before its writer
// has to wait: 256 KiB at first, and at least 1.
func (l *Link) Buffer(n int) *Link {
	return l.set("buffer", func() { l.buffer = max(n, 1) })
}

// Cut loses all streams of the link, once, when it is time: both sides learn of it at once, and what
// was under way is lost. New streams can be made.
func (l *Link) Cut(when When) *Link {
	return l.plan("cut", when, l.cut)
}

// End ends all streams of the link, once, when it is time, as something in between does that closes them in the
// middle of a message: each side reads what has arrived, then the end, and its next write resets the stream.
func (l *Link) End(when When) *Link {
	return l.plan("end", when, l.end)
}

// Corrupt changes one bit of the next byte that crosses the link, once, when it is time, as a network does whose
// checksums miss it. iWARP finds it by its CRC, and the connection ends as broken; but the startup of a connection has none.
func (l *Link) Corrupt(when When) *Link {
	return l.plan("corrupt", when, func() { l.damaged++ })
}

// Partition lets nothing pass from then on, until [Link.Heal]. Nobody learns of it.
func (l *Link) Partition(when When) *Link {
	return l.plan("partition", when, func() { l.parted = true })
}

// Heal ends a partition. What was under way arrives.
func (l *Link) Heal(when When) *Link {
	return l.plan("heal", when, func() { l.parted = false })
}

func (l *Link) cut() {
	for _, y := range l.w.ways {
		if y.link == l {
			y.s.reset()
		}
	}
	l.w.sweep()
}

func (l *Link) end() {
	for _, y := range l.w.ways {
		if y.link == l {
			y.flight, y.flying, y.fin, y.ended = nil, 0, finArrived, true
			y.changed()
		}
	}
	l.w.sweep()
}

func (l *Link) plan(what string, when When, do func()) *Link {
	l.w.mu.Lock()
	if !l.w.closing {
		l.w.add(&plan{what: what, name: l.name, link: l, do: do}, when)
	}
	l.w.mu.Unlock()
	l.w.wakeScheduler()
	return l
}

func (l *Link) set(what string, change func()) *Link {
	l.w.mu.Lock()
	l.w.record(what, l.name, 0)
	change()
	l.w.mu.Unlock()
	l.w.wakeScheduler()
	return l
}
