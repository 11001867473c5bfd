// Package hcatest is the conformance suite of the adapter contract in package
// hca.
//
// An adapter's test calls [Run] with a [Harness] that says how to open it:
//
//	func TestConformance(t *testing.T) {
//		hcatest.Run(t, hcatest.Harness{Name: "soft-loop", Open: open})
//	}
//
// Every subtest is named as the promise it checks. What an adapter may lack is
// read from hca.Attr and hca.ConnInfo, never skipped: the suite checks that it
// is refused. What a completion proves is read from hca.ConnInfo.Acked.
//
// The suite assumes nothing about timing. It waits for events and entries with
// a generous bound, [Harness].Patience, and parks through CQ.Arm and Notify as
// programs do, so that a lost wake-up shows. Random cases print their seed;
// GODAPL_SEED repeats it.
//
// [Observe] runs one case without a *testing.T and reports what it said. The
// tests of this package use it to show that the suite catches adapters which
// break a promise.
package hcatest
