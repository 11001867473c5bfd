package rdmatest_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/rdmatest"
)

// program is a program that is drawn at random: hosts, connections, operations and their faces, and what fails.
type program struct {
	t      *testing.T
	w      *rdmatest.World
	draw   *rand.Rand
	hosts  []*programHost
	links  []*programLink
	fault  *programFault
	again  *programHost // that was killed, and does something when it has been restarted
	all    sync.WaitGroup
	kill   *time.Timer   // of again
	served chan struct{} // closed when all is done
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
		l.run(most)
	}
	p.all.Wait()
	if p.again != nil {
		p.restarted(most)
	}
	for _, l := range p.links {
		l.look()
	}
	p.close()
	if t.Failed() {
		t.Logf("this was a program with %s", p.fault.name)
	}
	return p.fault.name
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
		// A mailbox does not notice that a receive could not be posted again: both sides wait for good.
		if p.draw.IntN(2) == 0 && p.fault.name != "a call that fails" {
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
