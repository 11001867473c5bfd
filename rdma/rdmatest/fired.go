package rdmatest

import "maps"

// Fired counts what was done to the world, by plan and by chance: "cut", "stop" and so on. A test
// whose faults never fire tests nothing.
func (w *World) Fired() map[string]int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return maps.Clone(w.fired)
}
