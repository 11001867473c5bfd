package rdmatest_test

import (
	"context"
	"time"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/rdmatest"
)

// programFault is something that goes wrong. After a harmless one, everything must succeed.
type programFault struct {
	name     string
	harmless bool
	forges   bool // operations complete with another status than they have
	begin    func(p *program)
}

var programFaults = []programFault{
	{"nothing", true, false, func(*program) {}},
	{"cut at a byte", false, false, func(p *program) { p.aLink().Cut(rdmatest.AtByte(p.aByte())) }},
	{"cut at a time", false, false, func(p *program) { p.aLink().Cut(rdmatest.After(p.moment())) }},
	{"end at a byte", false, false, func(p *program) { p.aLink().End(rdmatest.AtByte(p.aByte())) }},
	{"partition", true, false, func(p *program) {
		at := p.moment()
		p.aLink().Partition(rdmatest.After(at)).Heal(rdmatest.After(at + time.Duration(1+p.draw.IntN(8000))*time.Millisecond))
	}},
	{"stop", true, false, func(p *program) {
		h, at := p.aHost(), p.moment()
		time.AfterFunc(at, h.Stop)
		time.AfterFunc(at+time.Duration(1+p.draw.IntN(8000))*time.Millisecond, h.Continue)
	}},
	{"slow reader", true, false, func(p *program) { p.aHost().SlowReader(5_000 + p.draw.IntN(100_000)) }},
	{"kill and restart", false, false, func(p *program) {
		p.again = p.hosts[p.draw.IntN(len(p.hosts))]
		p.kill = time.AfterFunc(p.moment(), p.again.h.Kill)
	}},
	{"kill", false, false, func(p *program) { time.AfterFunc(p.moment(), p.aHost().Kill) }},
	{"an operation fails", false, true, func(p *program) {
		op := programOps[p.draw.IntN(len(programOps))]
		status := rdma.StatusFlushed + rdma.Status(p.draw.IntN(int(rdma.StatusFatal-rdma.StatusFlushed)+1))
		p.w.Fail(op, status, rdmatest.Nth(1+p.draw.IntN(4)))
		if op == rdma.OpSendInvalidate {
			for _, l := range p.links {
				l.ends[0].revoking, l.ends[1].revoking = true, true
			}
		}
	}},
	{"an abrupt end", false, false, func(p *program) {
		e := p.links[p.draw.IntN(len(p.links))].ends[p.draw.IntN(2)]
		time.AfterFunc(p.moment(), func() { _ = e.conn.Abort() })
	}},
	{"a revoked window", false, false, func(p *program) { p.links[p.draw.IntN(len(p.links))].ends[p.draw.IntN(2)].revoking = true }},
	{"late completions", true, false, func(p *program) { p.w.Late(200*time.Millisecond, rdmatest.Chance(0.2)) }},
	{"an overflow", false, false, func(p *program) { p.async(rdma.AsyncOverflow) }},
	{"a failed adapter", false, false, func(p *program) { p.async(rdma.AsyncAdapterFailed) }},
	{"a port that goes down and comes up", true, false, func(p *program) {
		h, at := p.aHost(), p.moment()
		time.AfterFunc(at, func() { h.Async(rdma.AsyncPortDown) })
		time.AfterFunc(at+p.moment(), func() { h.Async(rdma.AsyncPortUp) })
	}},
	{"a registration that fails", false, false, func(p *program) {
		for _, h := range p.hosts {
			h.h.Faults().SetNth(rdmatest.RegisterMemory, rdma.ErrResources, 1+p.draw.IntN(4))
		}
	}},
	{"freed memory", false, false, func(p *program) { p.links[p.draw.IntN(len(p.links))].freeing = true }},
	{"protection errors", false, false, func(p *program) { p.links[p.draw.IntN(len(p.links))].ends[p.draw.IntN(2)].trespassing = true }},
	{"an end of one that shares", false, false, func(p *program) { p.leaveAt, p.leaveDraw = 1+p.draw.IntN(6), p.w.Rand("leave") }},
	{"a damaged byte", false, false, func(p *program) { p.aLink().Corrupt(rdmatest.AtByte(p.aByte())) }},
	{"an end inside a step", false, false, func(p *program) { p.endInside() }},
	{"withdrawn memory", false, false, func(p *program) { p.links[p.draw.IntN(len(p.links))].ends[p.draw.IntN(2)].withdrawing = true }},
	{"a call that fails", false, false, func(p *program) {
		call := rdmatest.Call(p.draw.IntN(programCalls))
		for _, h := range p.hosts {
			h.h.Faults().SetNth(call, rdma.ErrResources, 1+p.draw.IntN(3))
		}
	}},
	{"memory taken away", false, false, func(p *program) {
		if p.draw.IntN(2) == 0 {
			p.w.Revoke(rdmatest.Nth(1 + p.draw.IntN(10)))
		} else {
			p.w.Revoke(rdmatest.Chance(0.3))
		}
	}},
	{"chaos", false, true, func(p *program) {
		h := p.aHost()
		h.Run(func(ctx context.Context) { p.serve(ctx, h) })
		p.w.Chaos(0.02)
	}},
}

// What programs draw from, when an operation fails, or a call.
var programOps = []rdma.Op{rdma.OpSend, rdma.OpSendInvalidate, rdma.OpWrite, rdma.OpWriteImm, rdma.OpRead, rdma.OpFetchAdd,
	rdma.OpCompareSwap, rdma.OpBind, rdma.OpRecv}

const programCalls = int(rdmatest.ModifyMemory) + 1

// serve is a program that accepts connections until its process is killed or all is done. Nobody connects.
func (p *program) serve(ctx context.Context, h *rdmatest.Host) {
	a, err := h.Open(ctx, rdma.OpenConfig{})
	if err != nil {
		return
	}
	if ln, err := a.Listen(ctx, ":9", rdma.ListenConfig{}); err == nil {
		select {
		case <-ctx.Done():
		case <-p.served:
		}
		_ = ln.Close()
	}
	_ = a.Close()
}

func (p *program) moment() time.Duration {
	return time.Duration(p.draw.ExpFloat64() * float64(50*time.Millisecond))
}

// aByte is how many bytes cross a link until something goes wrong.
func (p *program) aByte() int {
	most := 30_000
	if p.draw.IntN(3) == 0 {
		most *= 10
	}
	return 1 + p.draw.IntN(most)
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
