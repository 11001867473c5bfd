package main

// pause tells the processor that this is a loop that waits.
func pause()
