package sharedmem

import "github.com/godapl/godapl/internal/shm"

// openDirectory returns the adapter's key directory, with all its keys entered.
func (p *Path) openDirectory() (*keyDirectory, error) {
	p.directoryMu.Lock()
	defer p.directoryMu.Unlock()
	if b := p.directory.Load(); b != nil {
		return b, nil
	}
	seg, err := shm.NewSegment("godapl-keys", directorySize, 0)
	if err != nil {
		return nil, err
	}
	b := &keyDirectory{seg: seg, keys: make([]uint32, directoryBuckets*directoryWays)}
	p.directory.Store(b)
	p.a.Keys.Each(b.publish)
	return b, nil
}

// directoryFD returns a read-only descriptor of the key directory.
func (p *Path) directoryFD() (int, error) {
	b, err := p.openDirectory()
	if err != nil {
		return -1, err
	}
	return reopenReadOnly(b.seg.FD())
}

// closeDirectory releases the directory of an adapter that has no keys left.
func (p *Path) closeDirectory() {
	p.directoryMu.Lock()
	defer p.directoryMu.Unlock()
	if b := p.directory.Swap(nil); b != nil {
		_ = b.seg.Close()
	}
}
