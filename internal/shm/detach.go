package shm

// Detach parts memory of this process from the file behind it: b, the mapping of f
// at off, keeps its address and its contents, and what others who map the file
// write from then on does not reach it any more. What this process's own goroutines write meanwhile
// is not lost, nor are its atomics torn: the kernel puts one page after the other
// in place. It is for memory that must be taken back from a peer that
// is stopped in the middle of a copy. The caller makes sure that no *other* peer
// goes on to use the file as if it were this memory, and never gives its range to
// anybody else.
func Detach(b []byte, f *File, off int64) error {
	f.mu.RLock()
	defer f.mu.RUnlock()
	if f.fd < 0 {
		return fail("detach", ErrClosed, "", nil)
	}
	return sysDetach(b, f.fd, off, f.page)
}
