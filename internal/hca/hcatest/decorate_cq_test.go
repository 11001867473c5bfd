package hcatest_test

import "github.com/godapl/godapl/internal/hca"

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

func (q *cq) Close() error {
	if q.d.cqClose != nil {
		return q.d.cqClose(q.CQ)
	}
	return q.CQ.Close()
}

func (q *cq) ArmDescriptors(fds []int32) ([]int32, error) {
	armer := q.CQ.(hca.DescriptorArmer)
	if q.d.watch != nil {
		return q.d.watch(armer, fds)
	}
	return armer.ArmDescriptors(fds)
}

func (q *cq) DisarmDescriptors(others bool) {
	armer := q.CQ.(hca.DescriptorArmer)
	if q.d.unwatch != nil {
		q.d.unwatch(armer, others)
		return
	}
	armer.DisarmDescriptors(others)
}
