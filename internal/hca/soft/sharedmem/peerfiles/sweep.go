package peerfiles

// A long-lived connection may lead to many regions of the peer that come and go. The mappings of those that are
// gone are released in a sweep. It runs when as many entries are new as the last sweep kept, so the cost per
// entry stays small.

// sweepLeast is the smallest number of new entries that causes a sweep.
const sweepLeast = 32

// count notes a new entry. It reports once that a sweep is due, because the sweep may have to wait for the
// gates while more entries come. The caller holds m.mu.
func (m *Mappings) count() (due bool) {
	m.news++
	return m.news == max(sweepLeast, m.kept)
}

// Sweep keeps a mapping or file only if the last key that led to it is valid. If another valid key leads there
// too, its next use maps the region again.
func (m *Mappings) Sweep(good func(key uint32) bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for k, x := range m.maps {
		if !good(x.key) {
			x.unmap()
			delete(m.maps, k)
		}
	}
	for k, f := range m.files {
		if good(f.key) {
			continue
		}
		if f.file != nil {
			_ = f.file.Close()
		}
		delete(m.files, k)
	}
	m.news, m.kept = 0, len(m.maps)+len(m.files)
}
