package hcatest_test

import (
	"cmp"
	"context"
	"sync"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/hcatest"
)

// defect selects what a decorator breaks. A nil hook changes nothing.
type defect struct {
	path     string // of the software adapter; "": loop
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
	close    func(hca.Adapter) error
	cqClose  func(hca.CQ) error
	listen   func(ctx context.Context, a hca.Adapter, cfg hca.ListenConfig) (hca.Listener, error)
	private  func(hca.ConnRequest) []byte
	accept   func(ctx context.Context, r hca.ConnRequest, qp hca.QP, p hca.ConnParams) error
	reject   func(r hca.ConnRequest, private []byte) error
	leave    func(l hca.Leaver, f func())
	modify   func(m *mr, access hca.Access) error
	mwClose  func(hca.MW) error
	postRecv func(qp hca.QP, wr hca.RecvWR) error
	watch    func(q hca.DescriptorArmer, fds []int32) ([]int32, error)
	unwatch  func(q hca.DescriptorArmer, others bool)
	flight   func(requests, receives, outstanding hca.Flight) (hca.Flight, hca.Flight, hca.Flight)
	settle   func(s hca.Settler, p *hca.Patience)
}

// decorated opens a software adapter with a defect.
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
		a.Adapter = open(cmp.Or(d.path, "loop"))(t, opt)
		if d.close != nil {
			t.Cleanup(func() { a.Adapter.Close() })
		}
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

func (a *adapter) Close() error {
	if a.d.close != nil {
		return a.d.close(a.Adapter)
	}
	return a.Adapter.Close()
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
	return &mr{MR: m, d: p.d, pd: p.PD, mem: mem}, nil
}

func (p *pd) NewWindow(kind hca.WindowKind) (hca.MW, error) {
	w, err := p.PD.NewWindow(kind)
	if err != nil {
		return nil, err
	}
	return &mw{MW: w, d: p.d}, nil
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
	d   *defect
	pd  hca.PD
	mem hca.Memory
}

func (m *mr) Modify(access hca.Access) error {
	if m.d.modify != nil {
		return m.d.modify(m, access)
	}
	return m.MR.(hca.Modifier).Modify(access)
}

func (m *mr) Close() error {
	if m.d.mrClose != nil {
		return m.d.mrClose(m.MR)
	}
	return m.MR.Close()
}

type mw struct {
	hca.MW
	d *defect
}

func (w *mw) Close() error {
	if w.d.mwClose != nil {
		return w.d.mwClose(w.MW)
	}
	return w.MW.Close()
}
