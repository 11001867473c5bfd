// Package hcatest is the conformance suite of the adapter contract in package hca.
//
// An adapter's test calls [Run] with a [Harness] that opens the adapter:
//
//	func TestConformance(t *testing.T) {
//		hcatest.Run(t, hcatest.Harness{Name: "soft-loop", Open: open})
//	}
//
// Every subtest is named after the promise that it checks. The suite reads missing
// features from hca.Attr and hca.ConnInfo; it does not skip them but checks that they
// are refused. It reads from hca.ConnInfo.Acked what a completion proves.
//
// The suite assumes nothing about timing. It waits for events and entries with a
// generous bound, [Harness].Patience, and parks through CQ.Arm and Notify as programs
// do, so that a lost wake-up is detected. Random cases print their seed; GODAPL_SEED
// repeats it.
//
// [Observe] runs one case without a *testing.T and returns its report. The tests of
// this package use it to show that the suite detects adapters which break a promise.
package hcatest
