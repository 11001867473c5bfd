package verbs

import (
	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/verbs/ibv"
)

// add puts an object into one of the adapter's maps. It fails if the adapter is
// being closed, since the object would not be freed then.
func add[K comparable, V any](a *adapter, op string, m map[K]V, k K, v V) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.dead {
		return hca.NewError(hca.Closed, op, a.attr.Name, "the adapter has been closed")
	}
	m[k] = v
	return nil
}

func remove[K comparable, V any](a *adapter, m map[K]V, k K) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(m, k)
}

func find[K comparable, V any](a *adapter, m map[K]V, k K) V {
	a.mu.Lock()
	defer a.mu.Unlock()
	return m[k]
}

func (a *adapter) findCQ(h ibv.CQ) *cq    { return find(a, a.byCQ, h) }
func (a *adapter) findQP(h ibv.QP) *qp    { return find(a, a.byQP, h) }
func (a *adapter) findSRQ(h ibv.SRQ) *srq { return find(a, a.bySRQ, h) }
