package core

// The result of handling a segment.
type Outcome uint8

const (
	Handled    Outcome = iota
	MustWait           // for a receive; call again with the same segment
	Failed             // the connection is over
	Unfinished         // shared memory: more to do for it, in another run
)
