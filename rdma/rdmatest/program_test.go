package rdmatest_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/rdmatest"
)

// program is a program that is drawn at random: hosts, connections, operations and their faces, and what fails.
type program struct {
	t     *testing.T
	w     *rdmatest.World
	draw  *rand.Rand
	hosts []*programHost
	links []*programLink
	fault *programFault
	all   sync.WaitGroup
}

type programHost struct {
	h      *rdmatest.Host
	zone   *rdma.Zone
	shared *programPlaces // receives that its endpoints share; nil: none
}

// runProgram draws and runs a program, with at most so many operations of each end. It returns what was to go wrong.
func runProgram(t *testing.T, w *rdmatest.World, most int) (kind string) {
	p := &program{t: t, w: w, draw: w.Rand("program")}
	p.fault = &programFaults[p.draw.IntN(len(programFaults))]
	w.Note("a program with %s", p.fault.name)
	for i := range 2 + p.draw.IntN(4) {
		p.hosts = append(p.hosts, p.host(fmt.Sprint("h", i)))
	}
	for i, a := range p.hosts {
		for _, b := range p.hosts[i+1:] {
			w.Link(a.h, b.h).Buffer([]int{1500, 20_000, 256 << 10}[p.draw.IntN(3)])
			if l := w.Link(a.h, b.h); p.draw.IntN(2) == 0 {
				l.Latency(time.Duration(p.draw.IntN(20_000)) * time.Microsecond)
			} else if p.draw.IntN(2) == 0 {
				l.Bandwidth(100_000 + p.draw.IntN(10_000_000))
			}
		}
	}
	for i := range 1 + p.draw.IntN(3) {
		a := p.draw.IntN(len(p.hosts))
		b := (a + 1 + p.draw.IntN(len(p.hosts)-1)) % len(p.hosts)
		p.links = append(p.links, p.connect(i, p.hosts[a], p.hosts[b]))
	}
	others := p.others()
	p.fault.begin(p)
	for _, run := range others {
		p.all.Go(func() { run(most) })
	}
	for _, l := range p.links {
		for i, e := range l.ends {
			draw := w.Rand(fmt.Sprint("link ", l.number, " end ", i))
			late := draw.IntN(3) == 0
			p.all.Go(func() { e.receive(late) })
			l.sending.Go(func() { e.send(draw, most) })
		}
		p.all.Go(l.finish)
		if l.freeing {
			p.all.Go(l.ends[l.number%2].free)
		}
	}
	p.all.Wait()
	for _, l := range p.links {
		l.look()
	}
	p.close()
	if t.Failed() {
		t.Logf("this was a program with %s", p.fault.name)
	}
	return p.fault.name
}

func (p *program) host(name string) *programHost {
	h := p.w.Host(name)
	a, err := h.Open(p.w.Context(), rdma.OpenConfig{})
	must(p.t, err)
	zone, err := a.NewZone()
	must(p.t, err)
	host := &programHost{h: h, zone: zone}
	if p.draw.IntN(3) == 0 {
		host.shared, err = sharedPlaces(zone)
		must(p.t, err)
	}
	return host
}

// others draws mailboxes and streams. If nothing may fail, they are connected before the fault begins.
func (p *program) others() (all []func(most int)) {
	for i := range p.draw.IntN(3) {
		a := p.draw.IntN(len(p.hosts))
		b := (a + 1 + p.draw.IntN(len(p.hosts)-1)) % len(p.hosts)
		name := fmt.Sprint("other ", i)
		draw := p.w.Rand(name)
		if p.draw.IntN(2) == 0 {
			m := &programMail{p: p, name: name, from: p.hosts[a], to: p.hosts[b]}
			if p.fault.harmless {
				must(p.t, m.open(draw))
			}
			all = append(all, func(most int) { m.run(draw, most) })
			continue
		}
		s := &programSocket{p: p, name: name, from: p.hosts[a], to: p.hosts[b]}
		if p.fault.harmless {
			must(p.t, s.open())
		}
		all = append(all, func(most int) { s.run(draw, most) })
	}
	return all
}

// killed reports that a process of the program was killed, and what it had is gone.
func (p *program) killed() bool { return p.w.Fired()["kill"] > 0 }

// close closes everything in order, and nothing is left.
func (p *program) close() {
	for _, l := range p.links {
		for _, e := range l.ends {
			e.sends.close()
			e.takes.close()
			must(p.t, e.endpoint.Close())
			if e.window != nil {
				_ = e.window.Free()
			}
			_ = e.loan.Free() // it may be free
			if err := e.region.Free(); err != nil && !errors.Is(err, rdma.ErrClosed) {
				p.t.Errorf("free: %v", err)
			}
		}
	}
	for _, h := range p.hosts {
		if h.shared != nil {
			if err := h.shared.close(); err != nil && !errors.Is(err, rdma.ErrClosed) {
				p.t.Errorf("close shared receives: %v", err)
			}
		}
		if err := h.zone.Close(); err != nil && !errors.Is(err, rdma.ErrClosed) {
			p.t.Errorf("close zone: %v", err)
		}
	}
	p.w.Check(p.t)
}

// programFault is something that goes wrong. After a harmless one, everything must succeed.
type programFault struct {
	name     string
	harmless bool
	begin    func(p *program)
}

var programFaults = []programFault{
	{"nothing", true, func(*program) {}},
	{"cut at a byte", false, func(p *program) { p.aLink().Cut(rdmatest.AtByte(1 + p.draw.IntN(30_000))) }},
	{"cut at a time", false, func(p *program) { p.aLink().Cut(rdmatest.After(p.moment())) }},
	{"end at a byte", false, func(p *program) { p.aLink().End(rdmatest.AtByte(1 + p.draw.IntN(30_000))) }},
	{"partition", true, func(p *program) {
		at := p.moment()
		p.aLink().Partition(rdmatest.After(at)).Heal(rdmatest.After(at + time.Duration(1+p.draw.IntN(8000))*time.Millisecond))
	}},
	{"stop", true, func(p *program) {
		h, at := p.aHost(), p.moment()
		time.AfterFunc(at, h.Stop)
		time.AfterFunc(at+time.Duration(1+p.draw.IntN(8000))*time.Millisecond, h.Continue)
	}},
	{"slow reader", true, func(p *program) { p.aHost().SlowReader(5_000 + p.draw.IntN(100_000)) }},
	{"kill", false, func(p *program) { time.AfterFunc(p.moment(), p.aHost().Kill) }},
	{"an operation fails", false, func(p *program) {
		op := []rdma.Op{rdma.OpSend, rdma.OpWrite, rdma.OpRead, rdma.OpFetchAdd, rdma.OpBind, rdma.OpRecv}[p.draw.IntN(6)]
		status := rdma.StatusFlushed + rdma.Status(p.draw.IntN(int(rdma.StatusFatal-rdma.StatusFlushed)+1))
		p.w.Fail(op, status, rdmatest.Nth(1+p.draw.IntN(10)))
	}},
	{"an abrupt end", false, func(p *program) {
		e := p.links[p.draw.IntN(len(p.links))].ends[p.draw.IntN(2)]
		time.AfterFunc(p.moment(), func() { _ = e.conn.Abort() })
	}},
	{"a revoked window", false, func(p *program) { p.links[p.draw.IntN(len(p.links))].ends[p.draw.IntN(2)].revoking = true }},
	{"late completions", true, func(p *program) { p.w.Late(200*time.Millisecond, rdmatest.Chance(0.2)) }},
	{"an overflow", false, func(p *program) { p.async(rdma.AsyncOverflow) }},
	{"a failed adapter", false, func(p *program) { p.async(rdma.AsyncAdapterFailed) }},
	{"a port that goes down", true, func(p *program) { p.async(rdma.AsyncPortDown) }},
	{"a registration that fails", false, func(p *program) {
		for _, h := range p.hosts {
			h.h.Faults().SetNth(rdmatest.RegisterMemory, rdma.ErrResources, 1+p.draw.IntN(4))
		}
	}},
	{"freed memory", false, func(p *program) { p.links[p.draw.IntN(len(p.links))].freeing = true }},
	{"protection errors", false, func(p *program) { p.links[p.draw.IntN(len(p.links))].ends[p.draw.IntN(2)].trespassing = true }},
	{"chaos", false, func(p *program) { p.w.Chaos(0.02) }},
}

func (p *program) moment() time.Duration {
	return time.Duration(p.draw.ExpFloat64() * float64(50*time.Millisecond))
}

func (p *program) async(kind rdma.AsyncKind) {
	h := p.aHost()
	time.AfterFunc(p.moment(), func() { h.Async(kind) })
}

func (p *program) aHost() *rdmatest.Host { return p.hosts[p.draw.IntN(len(p.hosts))].h }

func (p *program) aLink() *rdmatest.Link {
	l := p.links[p.draw.IntN(len(p.links))]
	return p.w.Link(l.ends[0].host.h, l.ends[1].host.h)
}
