package hcatest_test

import (
	"context"

	"github.com/godapl/godapl/internal/hca"
)

type qp struct {
	hca.QP
	d *defect
}

func (a *adapter) NewQP(cfg hca.QPConfig) (hca.QP, error) {
	if w, ok := cfg.PD.(*pd); ok {
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
	if tell := cfg.Event; tell != nil {
		cfg.Event = func(ev hca.ConnEvent) {
			if a.attr.Caps != a.Adapter.Attr().Caps && ev.Info != nil {
				info := *ev.Info
				info.Caps &= a.attr.Caps
				ev.Info = &info
			}
			if a.d.event != nil {
				a.d.event(ev, tell)
				return
			}
			tell(ev)
		}
	}
	if a.d.qp != nil {
		a.d.qp(&cfg)
	}
	q, err := a.Adapter.NewQP(cfg)
	if err != nil {
		return nil, err
	}
	return &qp{QP: q, d: a.d}, nil
}

// plain gives a request with the adapter's own region in its bind.
func plain(wr hca.SendWR) hca.SendWR {
	if wr.Bind != nil {
		b := *wr.Bind
		if w, ok := b.MR.(*mr); ok {
			b.MR = w.MR
		}
		if w, ok := b.MW.(*mw); ok {
			b.MW = w.MW
		}
		wr.Bind = &b
	}
	return wr
}

func (q *qp) PostSend(wr hca.SendWR) error {
	inner := plain(wr)
	var err error
	if q.d.post != nil {
		err = q.d.post(q.QP, inner)
	} else {
		err = q.QP.PostSend(inner)
	}
	if wr.Bind != nil {
		wr.Bind.Key = inner.Bind.Key
	}
	return err
}

func (q *qp) PostSends(wrs []hca.SendWR) (int, error) {
	if q.d.posts != nil {
		return q.d.posts(q.QP, wrs)
	}
	inner := make([]hca.SendWR, len(wrs))
	for i := range wrs {
		inner[i] = plain(wrs[i])
	}
	n, err := q.QP.PostSends(inner)
	for i := range wrs {
		if wrs[i].Bind != nil {
			wrs[i].Bind.Key = inner[i].Bind.Key
		}
	}
	return n, err
}

func (q *qp) PostRecv(wr hca.RecvWR) error {
	if q.d.postRecv != nil {
		return q.d.postRecv(q.QP, wr)
	}
	return q.QP.PostRecv(wr)
}

func (q *qp) Connect(ctx context.Context, address string, p hca.ConnParams) error {
	if q.d.connect != nil {
		return q.d.connect(ctx, q.QP, address, p)
	}
	return q.QP.Connect(ctx, address, p)
}

func (q *qp) Disconnect(graceful bool) error {
	if q.d.graceful != nil {
		graceful = q.d.graceful(graceful)
	}
	return q.QP.Disconnect(graceful)
}

func (q *qp) Outstanding() (requests, receives int) {
	requests, receives = q.QP.Outstanding()
	if q.d.counts != nil {
		return q.d.counts(requests, receives)
	}
	return requests, receives
}

func (q *qp) Close() error {
	if q.d.qpClose != nil {
		return q.d.qpClose(q.QP)
	}
	return q.QP.Close()
}

func (q *qp) ReadStats(s *hca.QPStats, p *hca.Patience) bool {
	ok := q.QP.(hca.QPStatsReader).ReadStats(s, p)
	if ok && q.d.qpStats != nil {
		q.d.qpStats(s)
	}
	return ok
}

func (q *qp) ReadFlight(p *hca.Patience) (requests, receives, outstanding hca.Flight, ok bool) {
	requests, receives, outstanding, ok = q.QP.(hca.FlightReader).ReadFlight(p)
	if q.d.flight != nil {
		requests, receives, outstanding = q.d.flight(requests, receives, outstanding)
	}
	return requests, receives, outstanding, ok
}

func (q *qp) Settle(p *hca.Patience) {
	s := q.QP.(hca.Settler)
	if q.d.settle != nil {
		q.d.settle(s, p)
		return
	}
	s.Settle(p)
}
