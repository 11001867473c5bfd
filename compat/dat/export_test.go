package dat

// SetPlatform makes the package believe that it runs on another processor.
func SetPlatform(goarch string) (restore func()) {
	former := platform
	platform = goarch
	return func() { platform = former }
}
