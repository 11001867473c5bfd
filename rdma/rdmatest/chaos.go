package rdmatest

import (
	"math/rand/v2"
	"slices"
	"time"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/rdma"
)

// Chaos makes faults happen by chance: behind each step of the world, with the probability p. What happens is drawn
// from the seed:
//
//   - a link is cut, parted for a while or slow for a while, or a process is stopped or slow for a while (of these, a
//     process that only shares memory can be stopped);
//   - the next operation of some kind completes with some status, as by [World.Fail];
//   - the next call of some kind fails with rdma.ErrResources, as by [Faults], but for [Host.Open] and the posting of
//     receives;
//   - completions are late for some seconds, as by [World.Late];
//   - memory is taken away from a peer that uses it, as by [World.Revoke];
//   - an adapter reports an asynchronous error, as by [Host.Async];
//   - a host with programs ([Host.Run]) is killed, and restarts after a while. Others would not begin again.
//
// 0 ends it, and so does the end of the test: what lasts for a while ends in its time, and what waits for the next
// operation or call still happens.
func (w *World) Chaos(p float64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.chaos = p
}

// longest bounds how long a fault by chance lasts. It is less than what makes the library give a peer up.
const longest = 20 * time.Second

// maybe is a fault by chance, behind a step. The caller holds w.mu.
func (w *World) maybe() {
	if w.chaos <= 0 || w.draw.Float64() >= w.chaos {
		return
	}
	ends := w.livingEnds()
	if len(w.ways)+len(ends) == 0 {
		return
	}
	// Each has random numbers of its own, so that it stays what it is if those before it are left out.
	draw := rand.New(rand.NewPCG(w.seed, uint64(len(w.chances))<<8|4))
	var l *Link // nil: the host shares memory
	var h *Host
	if i := draw.IntN(len(w.ways) + len(ends)); i < len(w.ways) {
		l, h = w.ways[i].link, w.ways[i].to
	} else {
		h = ends[i-len(w.ways)].h
	}
	long := After(time.Duration(draw.Int64N(int64(longest))))
	begin := func(what, name string, begin func() (end func())) {
		w.record(what, name, 0)
		w.fired[what]++
		w.add(&plan{what: what + " ends", name: name, do: begin(), quiet: true}, long)
	}
	kind := draw.IntN(len(chances))
	if l == nil && chances[kind].ofWire {
		return
	}
	if kind == killChance && (len(h.programs) == 0 || h.dead) || !w.happens(kind, l, h) {
		return
	}
	switch kind {
	case 0:
		w.record("cut", l.name, 0)
		w.fired["cut"]++
		l.cut()
	case 1:
		begin("partition", l.name, l.part)
	case 2:
		begin("stop", h.name, h.pause)
	case 3:
		d := time.Duration(draw.Int64N(int64(time.Second)))
		begin("latency", l.name, func() func() { return l.delay(d) })
	case 4:
		rate := 1000 + draw.Int64N(1_000_000)
		begin("slow reader", h.name, func() func() { return h.throttle(rate) })
	case 5:
		op := chaosOps[draw.IntN(len(chaosOps))]
		status := hca.StatusFlushed + hca.Status(draw.IntN(int(hca.StatusFatal)))
		w.failures = append(w.failures, &failure{op: op, status: status, which: Nth(1)})
	case 6:
		if c := Open + 1 + Call(draw.IntN(int(calls-Open-1))); c != PostReceive && c != PostSharedReceive {
			h.faults.add(&nthCall{call: c, code: rdma.ErrResources, which: Nth(1), chance: true})
		}
	case 7:
		w.late = append(w.late, &lateness{which: Nth(1), most: 5 * time.Second})
	case 8:
		w.failures = append(w.failures, &failure{revoke: true, which: Nth(1)})
	case 9:
		kind := chaosAsyncs[draw.IntN(len(chaosAsyncs))]
		w.breaking.Go(func() { h.Async(kind) })
	case killChance:
		w.add(&plan{what: "restarts", name: h.name, quiet: true, do: func() { w.breaking.Go(h.Restart) }}, long)
		w.breaking.Go(h.Kill)
	}
}

// What Chaos draws from.
var (
	chaosOps = []hca.Op{hca.OpSend, hca.OpSendInvalidate, hca.OpWrite, hca.OpWriteImm, hca.OpRead, hca.OpFetchAdd,
		hca.OpCompareSwap, hca.OpBind, hca.OpRecv}
	chaosAsyncs = []rdma.AsyncKind{rdma.AsyncAdapterFailed, rdma.AsyncOverflow, rdma.AsyncPortDown, rdma.AsyncPortUp}
)

// What happens by chance may overlap, also with what the program has set: each of the following is in force until its
// own end is called. The caller holds w.mu.

func (l *Link) part() (end func()) {
	l.partings++
	return func() { l.partings-- }
}

// passes reports whether anything does.
func (l *Link) passes() bool { return !l.parted && l.partings == 0 }

func (l *Link) delay(d time.Duration) (end func()) {
	l.delays += d
	return func() { l.delays -= d }
}

// travel is how long bytes travel now.
func (l *Link) travel() time.Duration { return l.latency + l.delays }

// pause stops the process. A process that is killed is not stopped any more.
func (h *Host) pause() (end func()) {
	h.pauses++
	life := h.lives
	return func() {
		if life == h.lives {
			h.pauses--
			h.stir()
		}
	}
}

// runs reports whether the process is not stopped.
func (h *Host) runs() bool { return !h.stopped && h.pauses == 0 }

func (h *Host) throttle(rate int64) (end func()) {
	h.limits = append(h.limits, rate)
	return func() {
		h.limits = slices.Delete(h.limits, slices.Index(h.limits, rate), slices.Index(h.limits, rate)+1)
	}
}

// rate is the least limit of what the process takes; 0: there is none.
func (h *Host) rate() int64 {
	rate := h.readRate
	for _, r := range h.limits {
		if rate == 0 || r < rate {
			rate = r
		}
	}
	return rate
}

// stir lets the writers go on that found no room. The caller holds w.mu.
func (h *Host) stir() {
	for _, y := range h.w.ways {
		y.changed()
	}
}
