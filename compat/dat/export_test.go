package dat

// SetPlatform makes the package believe that it runs on another processor.
func SetPlatform(goarch string) (restore func()) {
	former := platform
	platform = goarch
	return func() { platform = former }
}

// Bindings is how many binds of a window are remembered.
func Bindings(h RMRHandle) (n int) {
	r := rmrs.Get(Handle(h))
	r.ia.mu.Lock()
	defer r.ia.mu.Unlock()
	for b := r.latest; b != nil; b = b.before {
		n++
	}
	return n
}

// FormerEPs is how many freed endpoints of a shared receive queue are remembered.
func FormerEPs(h SRQHandle) int {
	f := &getSRQ(h).former
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.all)
}
