package soft

// What became of a segment.
type outcome uint8

const (
	handled    outcome = iota
	waiting            // for a receive; come again with the same segment
	failed             // the connection is over
	unfinished         // shared memory: there is more to do for it, in another turn
)
