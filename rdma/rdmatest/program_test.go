package rdmatest_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/godapl/godapl/internal/hca/soft/core"
	"github.com/godapl/godapl/internal/hca/soft/keynumber"
	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/rdmatest"
)

// program is a program that is drawn at random: hosts, connections, operations and their faces, and what fails.
type program struct {
	t       *testing.T
	w       *rdmatest.World
	draw    *rand.Rand
	hosts   []*programHost
	machine []*rdmatest.Host // those that share memory
	links   []*programLink
	fault   *programFault
	// After so many posts of shared receives, another connection of the queue is aborted.
	leaveMu   sync.Mutex // ends post at the same time
	leaveAt   int
	leaveDraw *rand.Rand
	again     *programHost // that was killed, and does something when it has been restarted
	all       sync.WaitGroup
	kill      *time.Timer   // of again
	served    chan struct{} // closed when all is done
}

type programHost struct {
	h      *rdmatest.Host
	zone   *rdma.Zone
	shared *programPlaces // receives that its endpoints share; nil: none
}

// runProgram draws and runs a program, with at most so many operations of each end. It returns what was to go wrong.
func runProgram(t *testing.T, w *rdmatest.World, most int) (kind string) {
	p := &program{t: t, w: w, draw: w.Rand("program"), served: make(chan struct{})}
	p.fault = &programFaults[p.draw.IntN(len(programFaults))]
	w.Note("a program with %s", p.fault.name)
	defer keynumber.Hook.Store(nil)
	keynumber.Hook.Store(nearKeys(w.Rand("keys")))
	hosts, links := 2+p.draw.IntN(4), 1+p.draw.IntN(3)
	if p.sharing() {
		hosts, links = 2, 3
	}
	p.machines(hosts)
	for i := range hosts {
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
	for i := range links {
		a := p.draw.IntN(len(p.hosts))
		b := (a + 1 + p.draw.IntN(len(p.hosts)-1)) % len(p.hosts)
		p.links = append(p.links, p.connect(i, p.hosts[a], p.hosts[b]))
	}
	var others []func(most int)
	if p.fault.name != "a damaged byte" { // their startup has no CRC
		others = p.others()
	}
	p.fault.begin(p)
	for _, run := range others {
		p.all.Go(func() { run(most) })
	}
	for _, l := range p.links {
		l.run(most)
	}
	p.all.Wait()
	if p.again != nil {
		p.restarted(most)
	}
	core.StepHook.Store(nil)
	for _, l := range p.links {
		l.look()
	}
	p.close()
	if t.Failed() {
		t.Logf("this was a program with %s", p.fault.name)
	}
	return p.fault.name
}

// machines draws whether the first hosts, or all, are processes of one machine.
func (p *program) machines(hosts int) {
	draw := p.w.Rand("machines")
	n := []int{0, 0, 2, hosts}[draw.IntN(4)]
	var names []string
	for i := range n {
		names = append(names, fmt.Sprint("h", i))
	}
	p.machine = p.w.Machine(names...)
}

// shareMemory reports whether two hosts are processes of one machine.
func (p *program) shareMemory(a, b *programHost) bool {
	return slices.Contains(p.machine, a.h) && slices.Contains(p.machine, b.h)
}

// nearKeys draws keys, of which many are next to others: they share a page of the table of keys.
func nearKeys(draw *rand.Rand) *func() uint32 {
	var mu sync.Mutex
	last := draw.Uint32()
	f := func() uint32 {
		mu.Lock()
		defer mu.Unlock()
		if draw.IntN(2) == 0 {
			last ^= draw.Uint32N(1 << 14) // the key's own byte, and the place in its page
		} else {
			last = draw.Uint32()
		}
		return last
	}
	return &f
}

// run starts what the two ends do.
func (l *programLink) run(most int) {
	p := l.p
	for i, e := range l.ends {
		draw := p.w.Rand(fmt.Sprint("link ", l.number, " end ", i))
		late := draw.IntN(3) == 0
		p.all.Go(func() { e.receive(late) })
		l.sending.Go(func() { e.send(draw, most) })
	}
	p.all.Go(l.finish)
	if l.freeing {
		p.all.Go(l.ends[l.number%2].free)
	}
}

// restarted restarts a host that was killed. It connects to another one, and works as before.
func (p *program) restarted(most int) {
	p.kill.Stop()
	p.w.Settle()
	p.again.h.Kill() // if it was not time yet
	p.again.h.Restart()
	h := p.host(p.again.h.Name())
	p.hosts = append(p.hosts, h)
	var other *programHost
	for _, o := range p.hosts {
		if o.h != h.h {
			other = o
		}
	}
	l := p.connect(len(p.links), h, other)
	p.links = append(p.links, l)
	l.run(most)
	p.all.Wait()
}

func (p *program) host(name string) *programHost {
	h := p.w.Host(name)
	a, err := h.Open(p.w.Context(), rdma.OpenConfig{ReceiveWait: receiveWait})
	must(p.t, err)
	zone, err := a.NewZone()
	must(p.t, err)
	host := &programHost{h: h, zone: zone}
	if p.draw.IntN(3) == 0 || p.sharing() {
		host.shared, err = sharedPlaces(p.draw, zone, p.sharing() && p.draw.IntN(2) == 0)
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
		if p.draw.IntN(8) == 0 {
			all = append(all, func(int) { p.runLocal(draw) })
			continue
		}
		if p.draw.IntN(4) == 0 {
			s := &programStranger{p: p, from: p.hosts[a], to: p.hosts[b]}
			all = append(all, func(int) { s.run(draw) })
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

// refused reports that a call of the program was made to fail.
func (p *program) refused() bool {
	for kind := range p.w.Fired() {
		if what, ok := strings.CutPrefix(kind, "fail "); ok && callNames[what] {
			return true
		}
	}
	return false
}

// callNames are the names of the calls that can fail.
var callNames = func() map[string]bool {
	all := map[string]bool{}
	for c := range programCalls {
		all[rdmatest.Call(c).String()] = true
	}
	return all
}()

// close closes everything in order, and nothing is left.
func (p *program) close() {
	close(p.served)
	for _, l := range p.links {
		for _, e := range l.ends {
			e.sends.close()
			e.takes.close()
			must(p.t, e.endpoint.Close())
			if e.window != nil {
				_ = e.window.Free()
			}
			_ = e.loan.Free() // it may be free
			if e.long != nil {
				_ = e.long.Free()
			}
			if e.again != nil {
				_ = e.again.Free()
			}
			if e.places.queue == nil {
				if err := e.places.close(); err != nil && !errors.Is(err, rdma.ErrClosed) {
					p.t.Errorf("free the places: %v", err)
				}
			}
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

// sharing reports that the program is about shared receives.
func (p *program) sharing() bool { return p.fault.name == "an end of one that shares" }

// leave aborts another connection that shares receives with e, if it is time.
func (p *program) leave(e *programEnd) {
	if other := p.leaving(e); other != nil {
		_ = other.conn.Abort()
	}
}

// leaving returns the end of the connection that leaves now, if one does.
func (p *program) leaving(e *programEnd) *programEnd {
	p.leaveMu.Lock()
	defer p.leaveMu.Unlock()
	if p.leaveAt == 0 {
		return nil
	}
	if p.leaveAt--; p.leaveAt > 0 {
		return nil
	}
	var all []*programEnd
	for _, l := range p.links {
		for _, other := range l.ends {
			if other != e && other.places == e.places {
				all = append(all, other)
			}
		}
	}
	return all[p.leaveDraw.IntN(len(all))]
}
