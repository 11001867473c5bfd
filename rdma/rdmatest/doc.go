// Package rdmatest has what tests of programs that use package rdma need: connected
// ends, adapters that fail on demand, and a simulated network.
//
// [Pair] returns two connected ends, and [PairOn] does so on any adapter:
//
//	a, b := rdmatest.Pair(t)
//
// [RegisterFaulty] registers an adapter that is another adapter with faults:
//
//	faults := &rdmatest.Faults{}
//	remove, err := rdmatest.RegisterFaulty("acme-faulty", "soft-loop", faults)
//	…
//	adapter, err := rdma.Open(ctx, "acme-faulty", rdma.OpenConfig{})
//	faults.Set(rdmatest.NewZone, rdma.ErrResources)
//	_, err = adapter.NewZone() // ErrResources
//
// The objects of this adapter behave like those of the adapter below, counters included, so a program can do all its
// work on it. Only posts take longer. A fault makes a call fail as a device or the system would. The
// call then has no other effect, except that Dial and Accept give up what they began. Faults may be
// set and cleared at any time, from any goroutine.
//
// [NewWorld] makes a simulated network of hosts, in which everything happens in an order that a
// seed decides: latency, cuts, partitions, and processes that are slow, stopped or killed. [Worlds]
// runs a program in many of them. In a world, its steps wake the goroutines that wait; descriptors and
// sockets of the connections do not. The cookies of the flight recorder are numbers of the world.
package rdmatest
