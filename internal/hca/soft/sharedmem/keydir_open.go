package sharedmem

import "github.com/godapl/godapl/internal/shm"

// openDirectory gives the adapter's board, with all its keys on it.
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

// directoryFD is a descriptor of the board that is good for reading only.
func (p *Path) directoryFD() (int, error) {
	b, err := p.openDirectory()
	if err != nil {
		return -1, err
	}
	return reopenReadOnly(b.seg.FD())
}

// closeDirectory is for an adapter whose keys are all gone.
func (p *Path) closeDirectory() {
	p.directoryMu.Lock()
	defer p.directoryMu.Unlock()
	if b := p.directory.Swap(nil); b != nil {
		_ = b.seg.Close()
	}
}
