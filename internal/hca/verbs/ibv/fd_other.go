//go:build !linux

package ibv

// Readable has no descriptor to look at here.
func Readable(int) bool { return false }

// Nonblock fails here.
func Nonblock(int) error { return errElsewhere("read a descriptor without waiting") }
