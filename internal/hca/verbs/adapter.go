package verbs

import (
	"sync"
	"sync/atomic"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/verbs/ibv"
)

// adapter is one open device, or port of it.
type adapter struct {
	dev   *device
	lib   *ibv.Lib
	opt   hca.Options
	attr  hca.Attr
	port  uint8
	iwarp bool
	rxe   bool // Linux's software devices, which have some ways of their own
	siw   bool
	// softFence: fences are kept here, since the device loses them.
	softFence bool
	addrs     []local

	cm       *cm
	cqEvents *cqEvents

	closed atomic.Bool
	// calls counts running callbacks into the consumer, and running calls of
	// the consumer that create or free an object, so that Close can wait for
	// them.
	calls calls
	// ends counts queue pairs that are ending on goroutines of their own.
	ends sync.WaitGroup

	// mu guards the objects. Nothing that takes another lock is called under
	// it.
	mu        sync.Mutex
	dead      bool
	pds       map[*pd]struct{}
	listeners map[*listener]struct{}
	requests  map[*request]struct{}
	byCQ      map[ibv.CQ]*cq
	byQP      map[ibv.QP]*qp
	byNumber  map[uint32]*qp
	bySRQ     map[ibv.SRQ]*srq
	all       map[*qp]struct{}

	table table
	watch watcher

	teller teller
}

func newAdapter(dev *device, name string, port uint8, opt hca.Options) (hca.Adapter, error) {
	a := &adapter{
		dev: dev, lib: dev.lib, opt: opt, port: port,
		pds: map[*pd]struct{}{}, listeners: map[*listener]struct{}{}, requests: map[*request]struct{}{},
		byCQ: map[ibv.CQ]*cq{}, byQP: map[ibv.QP]*qp{}, byNumber: map[uint32]*qp{}, bySRQ: map[ibv.SRQ]*srq{}, all: map[*qp]struct{}{},
	}
	a.watch.ad = a
	if err := a.open(name); err != nil {
		a.shut()
		return nil, err
	}
	return a, nil
}

func (a *adapter) open(name string) (err error) {
	if a.cm, err = openCM(a); err != nil {
		return err
	}
	if err = a.findAddresses(name); err != nil {
		return err
	}
	if err = a.query(name); err != nil {
		return err
	}
	if a.cqEvents, err = openCQEvents(a); err != nil {
		return err
	}
	return a.dev.attach(a)
}

// shut ends the goroutines and frees what open has created.
func (a *adapter) shut() {
	a.dev.detach(a)
	if a.cqEvents != nil {
		a.cqEvents.close()
	}
	if a.cm != nil {
		a.cm.close()
	}
	a.dev.leave()
}

// labeled names a goroutine in profiles.
func (a *adapter) labeled(role string, f func()) func() { return hca.Labeled(a.attr.Name, role, f) }

func (a *adapter) Attr() *hca.Attr { return &a.attr }

// check refuses calls after Close.
func (a *adapter) check(op string) error {
	if a.closed.Load() {
		return hca.NewError(hca.Closed, op, a.attr.Name, "the adapter has been closed")
	}
	return nil
}

// begin is check for calls that create or free an object. Close waits for them:
// a.calls.leave marks their end.
func (a *adapter) begin(op string) error {
	if err := a.check(op); err != nil {
		return err
	}
	if !a.calls.enter() {
		return hca.NewError(hca.Closed, op, a.attr.Name, "the adapter has been closed")
	}
	return nil
}

// Close ends all connections abruptly and frees everything.
func (a *adapter) Close() error {
	if a.closed.Swap(true) {
		return hca.NewError(hca.Closed, "Close", a.attr.Name, "the adapter has been closed")
	}
	listeners, requests, qps := a.everything()
	for _, l := range listeners {
		l.close()
	}
	for _, r := range requests {
		r.refuse()
	}
	var wg sync.WaitGroup
	for _, q := range qps {
		wg.Go(func() { q.Close() })
	}
	wg.Wait()
	a.ends.Wait()
	a.calls.close()
	a.watch.close()
	for _, p := range a.domains() {
		p.shut()
	}
	for _, c := range a.queues() {
		c.destroy()
	}
	for _, p := range a.domains() {
		p.free()
	}
	a.shut()
	return nil
}

func (a *adapter) everything() (ls []*listener, rs []*request, qs []*qp) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.dead = true
	for l := range a.listeners {
		ls = append(ls, l)
	}
	for r := range a.requests {
		rs = append(rs, r)
	}
	for q := range a.all {
		qs = append(qs, q)
	}
	return ls, rs, qs
}

func (a *adapter) domains() (ps []*pd) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for p := range a.pds {
		ps = append(ps, p)
	}
	return ps
}

func (a *adapter) queues() (cs []*cq) {
	a.mu.Lock()
	defer a.mu.Unlock()
	seen := map[*cq]bool{}
	for _, c := range a.byCQ {
		if !seen[c] {
			seen[c] = true
			cs = append(cs, c)
		}
	}
	return cs
}
