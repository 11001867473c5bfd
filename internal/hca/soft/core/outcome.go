package core

// What became of a segment.
type Outcome uint8

const (
	Handled    Outcome = iota
	MustWait           // for a receive; come again with the same segment
	Failed             // the connection is over
	Unfinished         // shared memory: there is more to do for it, in another turn
)
