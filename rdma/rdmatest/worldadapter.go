package rdmatest

import (
	"slices"
	"sync"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/rawmem"
)

// worldAdapter is the adapter of a host: it makes operations fail, and keeps books about all of them.
type worldAdapter struct {
	*adapter
	h       *Host
	mu      sync.Mutex
	regions map[hca.Key]hca.Memory // by their local keys, with their addresses
	lent    map[hca.Key]*worldMR   // by their remote keys
	at      map[hca.Key]uint64
	pairs   []*worldQP
	number  int // of the host's adapters
	queues  int // completion queues so far
	tell    func(hca.AsyncEvent)
	closed  bool
}

func (a *adapter) inWorld(h *Host, tell func(hca.AsyncEvent)) *worldAdapter {
	w := &worldAdapter{adapter: a, h: h, tell: tell, regions: map[hca.Key]hca.Memory{}, lent: map[hca.Key]*worldMR{}, at: map[hca.Key]uint64{}}
	h.w.mu.Lock()
	h.books = append(h.books, w)
	w.number = len(h.books)
	h.w.mu.Unlock()
	return w
}

func (a *worldAdapter) NewPD() (hca.PD, error) {
	p, err := a.adapter.NewPD()
	if err != nil {
		return nil, err
	}
	w := &worldPD{PD: p, a: a}
	if _, ok := p.(hca.Adopter); ok {
		return &adoptingWorldPD{w}, nil
	}
	return w, nil
}

func (a *worldAdapter) NewQP(cfg hca.QPConfig) (hca.QP, error) {
	q := &worldQP{a: a, owner: cfg.Owner, event: cfg.Event}
	if w, ok := cfg.SRQ.(*worldSRQ); ok {
		cfg.SRQ, q.shared = w.SRQ, w
	}
	switch w := cfg.PD.(type) {
	case *worldPD:
		cfg.PD = w.PD
	case *adoptingWorldPD:
		cfg.PD = w.PD
	}
	if w, ok := cfg.SendCQ.(*worldCQ); ok {
		cfg.SendCQ, q.queues[0] = w.cq, w
	}
	if w, ok := cfg.RecvCQ.(*worldCQ); ok {
		cfg.RecvCQ, q.queues[1] = w.cq, w
	}
	cfg.Owner, cfg.Event = q, q.told
	below, err := a.adapter.NewQP(cfg)
	if err != nil {
		return nil, err
	}
	q.QP = below
	a.mu.Lock()
	a.pairs = append(a.pairs, q)
	a.mu.Unlock()
	return q, nil
}

// sum is a checksum of the first n bytes of segments; false if they cannot be read.
func (a *worldAdapter) sum(first hca.Segment, more []hca.Segment, n uint64) (uint64, bool) {
	const prime = 1099511628211
	sum := uint64(14695981039346656037)
	for i := -1; i < len(more) && n > 0; i++ {
		s := first
		if i >= 0 {
			s = more[i]
		}
		s.Len = uint32(min(uint64(s.Len), n))
		ok := a.see(s, func(b []byte) {
			for _, c := range b {
				sum = (sum ^ uint64(c)) * prime
			}
		})
		if !ok {
			return 0, false
		}
		n -= uint64(s.Len)
	}
	return sum, n == 0
}

// see calls f with the bytes of a segment; false if they cannot be read.
func (a *worldAdapter) see(s hca.Segment, f func(b []byte)) bool {
	if s.Len == 0 {
		return true
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	m, ok := a.regions[s.Key]
	off := s.Addr - a.at[s.Key]
	if !ok || off > uint64(len(m.Bytes)) || uint64(s.Len) > uint64(len(m.Bytes))-off {
		return false
	}
	b := m.Bytes[off : off+uint64(s.Len)]
	if !m.Own {
		read := make([]byte, len(b))
		if !rawmem.TryCopy(read, b, true) {
			return false
		}
		b = read
	}
	f(b)
	return true
}

// revoked records that a key ends, and whether requests of the peers that name it are under way.
func (h *Host) revoked(key hca.Key) {
	w := h.w
	w.mu.Lock()
	hosts := slices.Clone(w.hosts)
	w.mu.Unlock()
	n := 0
	for _, other := range hosts {
		w.mu.Lock()
		books := slices.Clone(other.books)
		w.mu.Unlock()
		for _, a := range books {
			a.mu.Lock()
			pairs := slices.Clone(a.pairs)
			a.mu.Unlock()
			for _, q := range pairs {
				n += q.naming(h, key)
			}
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.record("revoke", h.name, 0)
	if n > 0 {
		w.fired["revoke in flight"]++
	}
}

type worldPD struct {
	hca.PD
	a *worldAdapter
}

// PeersMap implements hca.Mapper.
func (p *worldPD) PeersMap() bool { return p.PD.(hca.Mapper).PeersMap() }

func (p *worldPD) Register(m hca.Memory, access hca.Access) (hca.MR, error) {
	r, err := p.PD.Register(m, access)
	if err != nil {
		return nil, err
	}
	return p.a.keep(r, m, access), nil
}

func (a *worldAdapter) keep(r hca.MR, m hca.Memory, access hca.Access) hca.MR {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.regions[r.LKey()], a.at[r.LKey()] = m, r.Addr()
	w := &worldMR{MR: r, a: a, access: access}
	w.lend()
	return w
}

type adoptingWorldPD struct{ *worldPD }

func (p *adoptingWorldPD) Adopt(r hca.MR, m hca.Memory, access hca.Access) (hca.MR, error) {
	w, ok := r.(*worldMR)
	if ok {
		r = w.MR
	}
	adopted, err := p.PD.(hca.Adopter).Adopt(r, m, access)
	if err != nil {
		return nil, err
	}
	return p.a.keep(adopted, m, access), nil
}

// worldMR is a region that the books forget when it ends, as its memory may be unmapped then.
type worldMR struct {
	hca.MR
	a      *worldAdapter
	access hca.Access // as the program wants them; guarded by mu of the adapter
}

func (r *worldMR) Modify(access hca.Access) error {
	if err := r.MR.(hca.Modifier).Modify(access); err != nil {
		return err
	}
	r.a.mu.Lock()
	r.access = access
	r.lend()
	r.a.mu.Unlock()
	return nil
}

// lend enters the region where Revoke finds it. The caller holds mu of the adapter.
func (r *worldMR) lend() {
	if k := r.RKey(); k != 0 {
		r.a.lent[k] = r
	}
}

func (r *worldMR) Close() error {
	r.a.h.revoked(r.RKey())
	r.a.mu.Lock()
	m, at := r.a.regions[r.LKey()], r.a.at[r.LKey()]
	delete(r.a.regions, r.LKey())
	delete(r.a.lent, r.RKey())
	r.a.mu.Unlock()
	err := r.MR.Close()
	if err != nil {
		r.a.mu.Lock()
		r.a.regions[r.LKey()], r.a.at[r.LKey()] = m, at
		r.lend()
		r.a.mu.Unlock()
	}
	return err
}
