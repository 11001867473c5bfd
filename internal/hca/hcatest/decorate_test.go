package hcatest_test

import (
	"context"
	"sync"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/hcatest"
)

// defect selects what a decorator breaks. A nil hook changes nothing.
type defect struct {
	options  func(*hca.Options)
	attr     func(*hca.Attr)
	onePD    bool // all domains are the same
	register func(*hca.Memory, *hca.Access)
	made     func(hca.MR)
	mrClose  func(hca.MR) error
	pdClose  func(hca.PD) error
	adopt    func(to hca.PD, m hca.MR, mem hca.Memory, access hca.Access) (hca.MR, error)
	cq       func(*hca.CQConfig)
	ready    func(ready bool) bool
	nothing  func(nothing bool) bool
	entries  func() func([]hca.WC) []hca.WC // per queue; maps the polled entries to the reported ones
	qp       func(*hca.QPConfig)
	srq      func(*hca.SRQConfig)
	shared   *sharedDefect
	post     func(qp hca.QP, wr hca.SendWR) error
	posts    func(qp hca.QP, wrs []hca.SendWR) (int, error)
	connect  func(ctx context.Context, qp hca.QP, address string, p hca.ConnParams) error
	graceful func(bool) bool
	counts   func(requests, receives int) (int, int)
	event    func(ev hca.ConnEvent, tell func(hca.ConnEvent))
	qpClose  func(qp hca.QP) error
	qpStats  func(*hca.QPStats)
	cqStats  func(*hca.CQStats)
	resize   func(q hca.CQ, depth int) error
}

// decorated opens the in-process adapter with a defect.
func decorated(d *defect) func(t hcatest.TB, opt hca.Options) hca.Adapter {
	return func(t hcatest.TB, opt hca.Options) hca.Adapter {
		a := &adapter{d: d}
		if tell := opt.Async; tell != nil {
			opt.Async = func(ev hca.AsyncEvent) {
				if q, ok := a.cqs.Load(ev.Object); ok {
					ev.Object = q
				}
				tell(ev)
			}
		}
		if d.options != nil {
			d.options(&opt)
		}
		a.Adapter = open("loop")(t, opt)
		a.attr = *a.Adapter.Attr()
		if d.attr != nil {
			d.attr(&a.attr)
		}
		return a
	}
}

type adapter struct {
	hca.Adapter
	d    *defect
	attr hca.Attr
	cqs  sync.Map // the adapter's to ours

	mu  sync.Mutex
	one hca.PD
}

func (a *adapter) Attr() *hca.Attr { return &a.attr }

func (a *adapter) NewPD() (hca.PD, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.d.onePD && a.one != nil {
		return &pd{PD: a.one, d: a.d}, nil
	}
	p, err := a.Adapter.NewPD()
	if err != nil {
		return nil, err
	}
	a.one = p
	return &pd{PD: p, d: a.d}, nil
}

func (a *adapter) NewCQ(cfg hca.CQConfig) (hca.CQ, error) {
	if a.d.cq != nil {
		a.d.cq(&cfg)
	}
	q, err := a.Adapter.NewCQ(cfg)
	if err != nil {
		return nil, err
	}
	w := &cq{CQ: q, d: a.d}
	if a.d.entries != nil {
		w.mangle = a.d.entries()
	}
	a.cqs.Store(q, w)
	return w, nil
}

func (a *adapter) Listen(ctx context.Context, cfg hca.ListenConfig) (hca.Listener, error) {
	if f := cfg.OnRequest; f != nil {
		cfg.OnRequest = func(r hca.ConnRequest) bool { return f(&connRequest{r}) }
	}
	return a.Adapter.Listen(ctx, cfg)
}

type connRequest struct{ hca.ConnRequest }

func (r *connRequest) Accept(ctx context.Context, q hca.QP, p hca.ConnParams) error {
	if w, ok := q.(*qp); ok {
		q = w.QP
	}
	return r.ConnRequest.Accept(ctx, q, p)
}

type pd struct {
	hca.PD
	d *defect
}

func (p *pd) Register(mem hca.Memory, access hca.Access) (hca.MR, error) {
	if p.d.register != nil {
		p.d.register(&mem, &access)
	}
	m, err := p.PD.Register(mem, access)
	if err != nil {
		return nil, err
	}
	if p.d.made != nil {
		p.d.made(m)
	}
	return &mr{MR: m, d: p.d}, nil
}

func (p *pd) Adopt(m hca.MR, mem hca.Memory, access hca.Access) (hca.MR, error) {
	take := p.PD.(hca.Adopter).Adopt
	if f := p.d.adopt; f != nil {
		take = func(m hca.MR, mem hca.Memory, access hca.Access) (hca.MR, error) { return f(p.PD, m, mem, access) }
	}
	if w, ok := m.(*mr); ok {
		m = w.MR
	}
	moved, err := take(m, mem, access)
	if err != nil {
		return nil, err
	}
	return &mr{MR: moved, d: p.d}, nil
}

func (p *pd) NewSRQ(cfg hca.SRQConfig) (hca.SRQ, error) {
	if p.d.srq != nil {
		p.d.srq(&cfg)
	}
	q, err := p.PD.NewSRQ(cfg)
	if err != nil || p.d.shared == nil {
		return q, err
	}
	return &srq{SRQ: q, d: p.d.shared}, nil
}

func (p *pd) Close() error {
	if p.d.pdClose != nil {
		return p.d.pdClose(p.PD)
	}
	return p.PD.Close()
}

type mr struct {
	hca.MR
	d *defect
}

func (m *mr) Close() error {
	if m.d.mrClose != nil {
		return m.d.mrClose(m.MR)
	}
	return m.MR.Close()
}

// cq lets the defect see the entries in batches of one.
type cq struct {
	hca.CQ
	d      *defect
	mangle func([]hca.WC) []hca.WC
	ready  []hca.WC
}

func (q *cq) Poll(dst []hca.WC) int {
	if q.mangle == nil {
		return q.CQ.Poll(dst)
	}
	var wcs [1]hca.WC
	for len(q.ready) < len(dst) {
		n := q.CQ.Poll(wcs[:])
		q.ready = append(q.ready, q.mangle(wcs[:n])...)
		if n == 0 {
			break
		}
	}
	n := copy(dst, q.ready)
	q.ready = q.ready[n:]
	return n
}

func (q *cq) Ready() bool {
	ready := len(q.ready) > 0 || q.CQ.(hca.Peeker).Ready()
	if q.d.ready != nil {
		return q.d.ready(ready)
	}
	return ready
}

func (q *cq) Nothing() bool {
	nothing := len(q.ready) == 0 && q.CQ.(hca.Sentry).Nothing()
	if q.d.nothing != nil {
		return q.d.nothing(nothing)
	}
	return nothing
}

func (q *cq) SharesMemory() bool { return q.CQ.(hca.Sentry).SharesMemory() }

func (q *cq) ReadStats(p *hca.Patience) hca.CQStats {
	s := q.CQ.(hca.CQStatsReader).ReadStats(p)
	if q.d.cqStats != nil {
		q.d.cqStats(&s)
	}
	return s
}

func (q *cq) Resize(depth int) error {
	if q.d.resize != nil {
		return q.d.resize(q.CQ, depth)
	}
	return q.CQ.Resize(depth)
}
