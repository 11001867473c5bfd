package perf

// pause is a hint to the processor that this loop waits.
func pause()
