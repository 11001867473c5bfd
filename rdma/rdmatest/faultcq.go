package rdmatest

import "github.com/godapl/godapl/internal/hca"

// cq is a completion queue whose calls can fail.
type cq struct {
	hca.CQ
	a *adapter
}

func (q *cq) below() hca.CQ { return q.CQ }
func (q *cq) base() *cq     { return q }

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

// ReadStats implements hca.CQStatsReader.
func (q *cq) ReadStats(p *hca.Patience) hca.CQStats {
	if r, ok := q.CQ.(hca.CQStatsReader); ok {
		return r.ReadStats(p)
	}
	return hca.CQStats{}
}

func (q *cq) Close() error {
	err := q.CQ.Close()
	if err == nil {
		q.a.outer.Delete(q.CQ)
	}
	return err
}

// openCQ is a cq that shows what the queue below can do beside that. Where that one cannot, it answers what those who
// ask assume of a queue without the method.
type openCQ struct{ *cq }

// Ready implements hca.Peeker.
func (q openCQ) Ready() bool {
	p, ok := q.CQ.(hca.Peeker)
	return ok && p.Ready()
}

// Nothing implements hca.Sentry.
func (q openCQ) Nothing() bool {
	s, ok := q.CQ.(hca.Sentry)
	return ok && s.Nothing()
}

// SharesMemory implements hca.Sentry.
func (q openCQ) SharesMemory() bool {
	s, ok := q.CQ.(hca.Sentry)
	return ok && s.SharesMemory()
}

// ArmDescriptors implements hca.DescriptorArmer.
func (q openCQ) ArmDescriptors(fds []int32) ([]int32, error) {
	if o, ok := q.CQ.(hca.DescriptorArmer); ok {
		return o.ArmDescriptors(fds)
	}
	return fds, q.Arm()
}

// DisarmDescriptors implements hca.DescriptorArmer.
func (q openCQ) DisarmDescriptors(others bool) {
	if o, ok := q.CQ.(hca.DescriptorArmer); ok {
		o.DisarmDescriptors(others)
	}
}

// parkingCQ is the same for a queue that a goroutine can park at.
type parkingCQ struct {
	openCQ
	hca.Parker
}

// Crowded implements hca.Crowded.
func (q parkingCQ) Crowded() bool {
	x, ok := q.Parker.(hca.Crowded)
	return ok && x.Crowded()
}

// opened returns the cq as the layers above see it.
func (q *cq) opened() hca.CQ {
	if p, ok := q.CQ.(hca.Parker); ok {
		return parkingCQ{openCQ{q}, p}
	}
	return openCQ{q}
}
