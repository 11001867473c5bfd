package peers_test

import (
	"slices"
	"testing"
)

// lastRow is the number of rows of the list of malformed input.
const lastRow = 78

// elsewhere lists the rows, and parts of rows, that have tests of their own.
var elsewhere = map[int][]func(*testing.T){
	1:  {TestSilentRequests, TestManySilentRequests, TestNoReply, TestNoFirstFrame},
	2:  {TestSilentRequests, TestCutRequest, TestCutReplies},
	3:  {TestBadReplies},
	4:  {TestBadReplies},
	5:  {TestBadReplies},
	7:  {TestBadReplies},
	8:  {TestSilentRequests, TestNoReply},
	9:  {TestBadReplies},
	10: {TestOddReplies},
	11: {TestOddReplies},
	13: {TestBadReplies, TestOddReplies, TestDepthsAsResponder, TestDepthsAsInitiator},
	14: {TestBadReplies, TestFirstFrameAsInitiator},
	15: {TestSecondReply},
	20: {TestCutAfterLength, TestCutEachMessage},
	21: {TestFlippedBit, TestBadFirstFrame},
	36: {TestLateReceive},
	49: {TestWriteWhileFreed, TestReadWhileFreed, TestSentMemoryFreed},
	54: {TestTooManyReadRequests, TestTooManyAtomics},
	63: {TestTerminates},
	64: {TestTerminates},
	65: {TestTerminates, TestTerminateOfStartUp},
	66: {TestTerminates},
	67: {TestCut, TestCutEachMessage, TestCutFirstFrame, TestBadFirstFrame},
	68: {TestCut, TestCutEachMessage, TestCutFirstFrame},
	69: {TestCutWithReadsUnderWay, TestFinBehindTheAnswer},
	70: {TestUnwantedMarkers},
	71: {TestWrongMarker},
	72: {TestByteByByte},
	73: {TestManyEmptyWrites},
	74: {TestOtherFirstFrame},
	75: {TestGluedToTheReply},
}

// missing lists the rows that cannot be tested here, and why.
var missing = map[int]string{
	34: "an MSN wraps after 2^32 messages, which takes hours over a stream; TestNumbersWrap of package soft begins shortly before",
}

// TestEveryRowIsCovered checks that the table is complete.
func TestEveryRowIsCovered(t *testing.T) {
	rows := map[int]int{}
	for _, c := range slices.Concat(formCases(), msnCases(), moCases(), longCases(), changeCases(), stagCases(), rightCases(),
		boundCases(), emptyCases(), sourceCases(), requestFormCases(), responseCases(), invalidateCases(), immediateCases(), atomicCases()) {
		rows[c.row]++
	}
	for _, c := range badRequests(t) {
		rows[c.row]++
	}
	for _, c := range goodRequests(t) {
		rows[c.row]++
	}
	for row := 1; row <= lastRow; row++ {
		tested := rows[row] + len(elsewhere[row])
		why, no := missing[row]
		switch {
		case no && tested > 0:
			t.Errorf("row %d is tested, and said to be missing", row)
		case no:
			t.Logf("row %d is not tested: %s", row, why)
		case tested == 0:
			t.Errorf("row %d is not tested, and no reason is given", row)
		}
	}
}
