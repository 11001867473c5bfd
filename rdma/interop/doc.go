// Package interop holds tests of the software adapter's network path against
// implementations of iWARP that are not ours: Linux's siw driver, behind the
// adapter for RDMA devices. There is nothing in it to import.
//
// Two sides run the same program over any two adapters. The active side connects
// and is the test; its private data is an order, which tells the partner what
// to do: to echo messages, to lend memory, to read and write the active side's, to
// break a rule. So every operation goes both ways over one connection, and with
// the adapters exchanged it goes both ways in the other role.
//
// Without a siw device both sides are the software adapter, which tests the tests.
// In a machine that has one the two are each active once. Across two machines the
// test binary runs as the partner on one:
//
//	GODAPL_INTEROP_SERVE="siw0 :7500" ./interop.test
//
// and as the active side on the other, where it also tells the partner to end:
//
//	GODAPL_INTEROP_WITH="soft-tcp 10.0.0.2:7500" ./interop.test
package interop
