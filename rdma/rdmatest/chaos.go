package rdmatest

import "time"

// Chaos makes faults happen by chance: before each step of the network, with the probability p, a link is
// cut, parted for a while or slow for a while, or a process is stopped for a while. What happens is drawn from the seed. 0 ends it, and so does the
// end of the test. Hosts are not killed, since nobody would start their programs again.
func (w *World) Chaos(p float64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.chaos = p
}

// longest bounds how long a fault by chance lasts. It is less than what makes the library give a peer up.
const longest = 20 * time.Second

// maybe is a fault by chance, before a step of a way. The caller holds w.mu.
func (w *World) maybe() {
	if w.chaos <= 0 || w.draw.Float64() >= w.chaos || len(w.ways) == 0 {
		return
	}
	y := w.ways[w.draw.IntN(len(w.ways))]
	l, h := y.link, y.to
	long := After(time.Duration(w.draw.Int64N(int64(longest))))
	happen := func(what, name string, do, undo func()) {
		w.record(what, name, 0)
		w.fired[what]++
		do()
		if undo != nil {
			w.add(&plan{what: what + " ends", name: name, do: undo}, long)
		}
	}
	switch w.draw.IntN(5) {
	case 0:
		happen("cut", l.name, l.cut, nil)
	case 1:
		happen("partition", l.name, func() { l.parted = true }, func() { l.parted = false })
	case 2:
		happen("stop", h.name, func() { h.stopped = true }, func() { h.stopped = false; h.stir() })
	case 3:
		before := l.latency
		happen("latency", l.name, func() { l.latency += time.Duration(w.draw.Int64N(int64(time.Second))) }, func() { l.latency = before })
	case 4:
		before := h.readRate
		happen("slow reader", h.name, func() { h.readRate = 1000 + w.draw.Int64N(1_000_000) }, func() { h.readRate = before })
	}
}

// stir lets the writers go on that found no room. The caller holds w.mu.
func (h *Host) stir() {
	for _, y := range h.w.ways {
		y.changed()
	}
}
