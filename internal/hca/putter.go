package hca

// Putter is what a Poster may be besides: one that can write to the peer's memory by itself, without a request.
type Putter interface {
	// Put copies bytes to memory of the peer before it returns, and makes no completion. from may be any memory of the
	// program: it needs no region. It is false if that cannot be done now: the peer's memory cannot be accessed from
	// here, the key does not allow it, another goroutine is sending, or the connection is not there. Then some of the
	// bytes may have been copied, and nothing else has happened; a request that is posted instead tells the reason.
	//
	// It is not ordered behind requests that were posted before and are under way: they may access the same memory
	// later. A request that is posted behind it is carried out after it. It counts as a write. A put of no bytes only
	// prepares for others under the key.
	Put(from []byte, remote uint64, rkey Key) bool
}
