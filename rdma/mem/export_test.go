package mem

// Quarantined is how many mappings are kept for late uses only.
func Quarantined() int {
	freed.mu.Lock()
	defer freed.mu.Unlock()
	return len(freed.ranges)
}
