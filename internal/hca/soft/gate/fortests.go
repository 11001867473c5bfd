package gate

// This file is for tests in the packages above, which cannot reach unexported fields. The library does not call
// its methods.

// Dump returns the state of the gate. Tests compare states.
func (g *Recv) Dump() (word uint64, marked uint32) { return g.Word.Load(), g.marked.Load() }
