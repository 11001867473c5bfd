package rdma

import (
	"cmp"
	"slices"
)

// Endpoints returns the adapter's endpoints that are not closed, those of Dial and Accept
// included, the oldest first. It is for pages and tools that show what a process does; the list
// belongs to the caller. It may be called from anywhere.
func (a *Adapter) Endpoints() []*Endpoint {
	a.mu.Lock()
	var list []*Endpoint
	for o := range a.objects {
		if e, ok := o.(*Endpoint); ok {
			list = append(list, e)
		}
	}
	a.mu.Unlock()
	slices.SortFunc(list, func(x, y *Endpoint) int { return cmp.Compare(x.number, y.number) })
	return list
}

// Number is the number of the endpoint in this process, from 1: errors name the endpoint by it.
func (e *Endpoint) Number() int { return int(e.number) }
