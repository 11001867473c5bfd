package rdmatest

import (
	"context"
	"sync"

	"github.com/godapl/godapl/internal/hca"
)

// adapter injects faults in front of another adapter. Zones and queues are wrapped because
// their calls can fail, too; calls to the underlying adapter get the unwrapped objects.
type adapter struct {
	hca.Adapter
	attr   hca.Attr
	faults *Faults
	outer  sync.Map // completion and shared receive queues of the adapter below, to ours
}

func (a *adapter) Attr() *hca.Attr { return &a.attr }

func (a *adapter) NewPD() (hca.PD, error) {
	if err := a.faults.of(NewZone); err != nil {
		return nil, err
	}
	p, err := a.Adapter.NewPD()
	if err != nil {
		return nil, err
	}
	w := &pd{p, a}
	if adopter, ok := p.(hca.Adopter); ok {
		return &adoptingPD{w, adopter}, nil
	}
	return w, nil
}

func (a *adapter) NewCQ(cfg hca.CQConfig) (hca.CQ, error) {
	if err := a.faults.of(NewCompletionQueue); err != nil {
		return nil, err
	}
	q, err := a.Adapter.NewCQ(cfg)
	if err != nil {
		return nil, err
	}
	w := &cq{q, a}
	a.outer.Store(q, hca.CQ(w))
	return w, nil
}

func (a *adapter) NewQP(cfg hca.QPConfig) (hca.QP, error) {
	if err := a.faults.of(ConnectEndpoint); err != nil {
		return nil, err
	}
	switch w := cfg.PD.(type) {
	case *pd:
		cfg.PD = w.PD
	case *adoptingPD:
		cfg.PD = w.PD
	}
	if w, ok := cfg.SendCQ.(*cq); ok {
		cfg.SendCQ = w.CQ
	}
	if w, ok := cfg.RecvCQ.(*cq); ok {
		cfg.RecvCQ = w.CQ
	}
	if w, ok := cfg.SRQ.(*srq); ok {
		cfg.SRQ = w.SRQ
	}
	return a.Adapter.NewQP(cfg)
}

func (a *adapter) Listen(ctx context.Context, cfg hca.ListenConfig) (hca.Listener, error) {
	if err := a.faults.of(Listen); err != nil {
		return nil, err
	}
	return a.Adapter.Listen(ctx, cfg)
}

type pd struct {
	hca.PD
	a *adapter
}

func (p *pd) Register(mem hca.Memory, access hca.Access) (hca.MR, error) {
	if err := p.a.faults.of(RegisterMemory); err != nil {
		return nil, err
	}
	return p.PD.Register(mem, access)
}

func (p *pd) NewWindow(kind hca.WindowKind) (hca.MW, error) {
	if err := p.a.faults.of(NewWindow); err != nil {
		return nil, err
	}
	return p.PD.NewWindow(kind)
}

func (p *pd) NewSRQ(cfg hca.SRQConfig) (hca.SRQ, error) {
	if err := p.a.faults.of(NewSharedReceiveQueue); err != nil {
		return nil, err
	}
	q, err := p.PD.NewSRQ(cfg)
	if err != nil {
		return nil, err
	}
	w := &srq{q, p.a}
	p.a.outer.Store(q, hca.SRQ(w))
	return w, nil
}

// adoptingPD is a zone of an adapter whose zones take over regions. The regions are not wrapped.
type adoptingPD struct {
	*pd
	hca.Adopter
}

type cq struct {
	hca.CQ
	a *adapter
}

func (q *cq) Resize(depth int) error {
	if err := q.a.faults.of(ResizeCompletionQueue); err != nil {
		return err
	}
	return q.CQ.Resize(depth)
}

// Push implements hca.Pusher.
func (q *cq) Push() {
	if p, ok := q.CQ.(hca.Pusher); ok {
		p.Push()
	}
}

func (q *cq) Close() error {
	err := q.CQ.Close()
	if err == nil {
		q.a.outer.Delete(q.CQ)
	}
	return err
}

type srq struct {
	hca.SRQ
	a *adapter
}

func (q *srq) Resize(depth int) error {
	if err := q.a.faults.of(ResizeSharedReceiveQueue); err != nil {
		return err
	}
	return q.SRQ.Resize(depth)
}

func (q *srq) Close() error {
	err := q.SRQ.Close()
	if err == nil {
		q.a.outer.Delete(q.SRQ)
	}
	return err
}
