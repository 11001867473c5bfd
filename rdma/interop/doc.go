// Package interop holds tests of the software adapter's network path against another
// implementation of iWARP: Linux's siw driver, through the adapter for RDMA devices. There
// is nothing in it to import.
//
// Two sides run the same program over any two adapters. The active side runs the test: it
// connects, and its private data is an order, which tells the partner what to do: to echo
// messages, to lend memory, to read and write memory of the active side, or to break a
// rule. So every operation is executed in both directions over one connection, and each
// adapter can be the active side.
//
// On a machine without a siw device, both sides are the software adapter, which tests the
// tests. On a machine with one, each of the two adapters is active once. Across two
// machines the test binary runs as the partner on one:
//
//	GODAPL_INTEROP_SERVE="siw0 :7500" ./interop.test
//
// and as the active side on the other, where it also tells the partner to end:
//
//	GODAPL_INTEROP_WITH="soft-tcp 10.0.0.2:7500" ./interop.test
package interop
