// Package rdmatest has what tests of programs that use package rdma need: connected
// ends, and adapters that fail on demand.
//
// [Pair] gives two connected ends in one line, [PairOn] on any adapter:
//
//	a, b := rdmatest.Pair(t)
//
// [RegisterFaulty] adds an adapter that is another one, with faults:
//
//	faults := &rdmatest.Faults{}
//	remove, err := rdmatest.RegisterFaulty("acme-faulty", "soft-loop", faults)
//	…
//	adapter, err := rdma.Open(ctx, "acme-faulty", rdma.OpenConfig{})
//	faults.Set(rdmatest.NewZone, rdma.ErrResources)
//	_, err = adapter.NewZone() // ErrResources
//
// What is made through it behaves as that of the adapter below, so a program may do all
// its work on it; a fault is one call that fails as the device or the system would have
// it fail, before anything has happened. Faults may be set and cleared at any time, from
// any goroutine.
package rdmatest
