package rdmatest

import (
	"context"

	"github.com/godapl/godapl/internal/hca"
)

// faultQP is a queue pair whose calls can fail.
type faultQP struct {
	hca.QP
	a *adapter
}

// event hides the connection's own poster from the layers above: every post can fail.
func (q *faultQP) event(tell func(hca.ConnEvent)) func(hca.ConnEvent) {
	if tell == nil {
		return nil
	}
	return func(ev hca.ConnEvent) {
		if ev.Info != nil {
			info := *ev.Info
			info.Poster = nil
			ev.Info = &info
		}
		tell(ev)
	}
}

// postCall is the call that posts an operation.
func postCall(op hca.Op) Call {
	if op == hca.OpBind {
		return BindWindow
	}
	return Post
}

func (q *faultQP) below(wr hca.SendWR) hca.SendWR {
	if wr.Bind != nil {
		if r, ok := wr.Bind.MR.(*mr); ok {
			wr.Bind.MR = r.MR
		}
	}
	return wr
}

// PostSend implements hca.QP.
func (q *faultQP) PostSend(wr hca.SendWR) error {
	if err := q.a.faults.of(postCall(wr.Op)); err != nil {
		return err
	}
	return q.QP.PostSend(q.below(wr))
}

// PostSends implements hca.QP.
func (q *faultQP) PostSends(wrs []hca.SendWR) (int, error) {
	calls, good := q.a.faults.drawList(len(wrs), func(i int) Call { return postCall(wrs[i].Op) })
	all := make([]hca.SendWR, good)
	for i := range all {
		all[i] = q.below(wrs[i])
	}
	n, err := q.QP.PostSends(all)
	return n, q.a.faults.listed(calls, good, n, err)
}

// PostPlainSend and PostPlainWrite implement hca.PlainPoster.
func (q *faultQP) PostPlainSend(id uint64, flags hca.Flags, local hca.Segment) error {
	return q.PostSend(hca.SendWR{ID: id, Op: hca.OpSend, Flags: flags, Local: local})
}

func (q *faultQP) PostPlainWrite(id uint64, flags hca.Flags, local hca.Segment, remote uint64, rkey hca.Key) error {
	return q.PostSend(hca.SendWR{ID: id, Op: hca.OpWrite, Flags: flags, Local: local, Remote: remote, RKey: rkey})
}

// PostRecv implements hca.QP.
func (q *faultQP) PostRecv(wr hca.RecvWR) error {
	if err := q.a.faults.of(PostReceive); err != nil {
		return err
	}
	return q.QP.PostRecv(wr)
}

// PostRecvs implements hca.QP.
func (q *faultQP) PostRecvs(wrs []hca.RecvWR) (int, error) {
	calls, good := q.a.faults.drawList(len(wrs), func(int) Call { return PostReceive })
	n, err := q.QP.PostRecvs(wrs[:good])
	return n, q.a.faults.listed(calls, good, n, err)
}

// nobody is a context of a call that nobody waits for: the adapter below gives it up, and does what belongs to that.
func nobody() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}

// Connect implements hca.QP. One that fails ends the queue pair, and flushes its receives.
func (q *faultQP) Connect(ctx context.Context, address string, p hca.ConnParams) error {
	if err := q.a.faults.of(Dial); err != nil {
		_ = q.QP.Connect(nobody(), address, p)
		return err
	}
	return q.QP.Connect(ctx, address, p)
}

// ReadStats implements hca.QPStatsReader.
func (q *faultQP) ReadStats(s *hca.QPStats, p *hca.Patience) bool {
	if r, ok := q.QP.(hca.QPStatsReader); ok {
		return r.ReadStats(s, p)
	}
	*s = hca.QPStats{}
	return true
}

// Settle implements hca.Settler.
func (q *faultQP) Settle(p *hca.Patience) {
	if s, ok := q.QP.(hca.Settler); ok {
		s.Settle(p)
	}
}

// ReadFlight implements hca.FlightReader.
func (q *faultQP) ReadFlight(p *hca.Patience) (requests, receives, outstanding hca.Flight, ok bool) {
	if r, is := q.QP.(hca.FlightReader); is {
		return r.ReadFlight(p)
	}
	return nil, nil, nil, false
}
