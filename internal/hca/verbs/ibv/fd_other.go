//go:build !linux

package ibv

// DupNonblock fails: there are no descriptors of RDMA devices here.
func DupNonblock(int) (int, error) { return -1, errElsewhere("duplicate a descriptor") }

// Readable has no descriptor to look at here.
func Readable(int) bool { return false }

// Nonblock fails here.
func Nonblock(int) error { return errElsewhere("read a descriptor without waiting") }

// WatchQueue fails here.
func WatchQueue() (int, error) { return -1, errElsewhere("watch descriptors") }

// Watch fails here.
func Watch(int, int, bool) error { return errElsewhere("watch a descriptor") }
