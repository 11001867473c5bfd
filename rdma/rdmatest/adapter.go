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
	w := (&cq{q, a}).opened()
	a.outer.Store(q, w)
	return w, nil
}

func (a *adapter) NewQP(cfg hca.QPConfig) (hca.QP, error) {
	if err := a.faults.of(ConnectEndpoint); err != nil {
		return nil, err
	}
	if w, ok := cfg.PD.(interface{ below() hca.PD }); ok {
		cfg.PD = w.below()
	}
	for _, q := range []*hca.CQ{&cfg.SendCQ, &cfg.RecvCQ} {
		if w, ok := (*q).(interface{ below() hca.CQ }); ok {
			*q = w.below()
		}
	}
	if w, ok := cfg.SRQ.(*srq); ok {
		cfg.SRQ = w.SRQ
	}
	q := &faultQP{a: a}
	cfg.Event = q.event(cfg.Event)
	below, err := a.Adapter.NewQP(cfg)
	if err != nil {
		return nil, err
	}
	q.QP = below
	return q, nil
}

func (a *adapter) Listen(ctx context.Context, cfg hca.ListenConfig) (hca.Listener, error) {
	if err := a.faults.of(Listen); err != nil {
		return nil, err
	}
	if deliver := cfg.OnRequest; deliver != nil {
		cfg.OnRequest = func(r hca.ConnRequest) bool { return deliver(request{r, a}) }
	}
	return a.Adapter.Listen(ctx, cfg)
}

type pd struct {
	hca.PD
	a *adapter
}

func (p *pd) below() hca.PD { return p.PD }

// PeersMap implements hca.Mapper.
func (p *pd) PeersMap() bool {
	m, ok := p.PD.(hca.Mapper)
	return !ok || m.PeersMap()
}

func (p *pd) Register(mem hca.Memory, access hca.Access) (hca.MR, error) {
	if err := p.a.faults.of(RegisterMemory); err != nil {
		return nil, err
	}
	r, err := p.PD.Register(mem, access)
	if err != nil {
		return nil, err
	}
	return &mr{r, p.a}, nil
}

// mr is a region whose calls can fail.
type mr struct {
	hca.MR
	a *adapter
}

// Modify implements hca.Modifier.
func (r *mr) Modify(access hca.Access) error {
	if err := r.a.faults.of(ModifyMemory); err != nil {
		return err
	}
	if m, ok := r.MR.(hca.Modifier); ok {
		return m.Modify(access)
	}
	return hca.NewError(hca.Unsupported, "modify", "region", "the adapter below cannot change the rights of a region")
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

// adoptingPD is a zone of an adapter whose zones take over regions.
type adoptingPD struct {
	*pd
	adopter hca.Adopter
}

// Adopt implements hca.Adopter.
func (p *adoptingPD) Adopt(r hca.MR, m hca.Memory, access hca.Access) (hca.MR, error) {
	if w, ok := r.(*mr); ok {
		r = w.MR
	}
	adopted, err := p.adopter.Adopt(r, m, access)
	if err != nil {
		return nil, err
	}
	return &mr{adopted, p.a}, nil
}

type srq struct {
	hca.SRQ
	a *adapter
}

func (q *srq) PostRecv(wr hca.RecvWR) error {
	if err := q.a.faults.of(PostSharedReceive); err != nil {
		return err
	}
	return q.SRQ.PostRecv(wr)
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
