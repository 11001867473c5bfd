//go:build !linux

package ibv

// DupNonblock fails: there are no descriptors of RDMA devices here.
func DupNonblock(int) (int, error) { return -1, errElsewhere("duplicate a descriptor") }

// Readable has no descriptor to look at here.
func Readable(int) bool { return false }
