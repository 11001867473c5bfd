package shm

// Detach separates memory of this process from the file behind it. b, the mapping of f
// at off, keeps address and contents; what other processes write to the file afterwards
// does not reach it. Concurrent writes and atomics of this process are neither lost nor
// torn: the kernel replaces one page after the other. It is for memory that must be
// taken back from a peer that is stopped in the middle of a copy. The caller ensures
// that no other peer continues to use the file as this memory, and never reuses its
// range. ErrUnsupported for huge pages, which stay as they are: the copy needs as many of them
// again, and where the kernel has none it removes the memory.
func Detach(b []byte, f *File, off int64) error {
	f.mu.RLock()
	defer f.mu.RUnlock()
	if f.fd < 0 {
		return fail("detach", ErrClosed, "", nil)
	}
	if f.Huge() {
		return fail("detach", ErrUnsupported, "huge pages", nil)
	}
	return sysDetach(b, f.fd, off, f.page)
}
