package sharedmem

import (
	"sync/atomic"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/core"
	"github.com/godapl/godapl/internal/hca/soft/sharedmem/keydir"
)

// openDirectory returns the adapter's key directory, with all its keys entered.
func (p *Path) openDirectory() (*keydir.Directory, error) {
	p.directoryMu.Lock()
	defer p.directoryMu.Unlock()
	if b := p.directory.Load(); b != nil {
		return b, nil
	}
	b, err := keydir.New()
	if err != nil {
		return nil, err
	}
	p.directory.Store(b)
	p.look(func() {
		p.a.Keys.Each(func(place *atomic.Pointer[core.KeyEntry]) { b.Publish(entryOf(place)) })
	})
	return b, nil
}

// look calls f, which may use entries that it loads from the key table, though it is inside no gate. Entries whose keys
// become invalid meanwhile stay as they are.
func (p *Path) look(f func()) {
	p.a.Keys.Looking.Add(1)
	defer p.a.Keys.Looking.Add(-1)
	f()
}

// directoryFD returns a read-only descriptor of the key directory.
func (p *Path) directoryFD() (int, error) {
	b, err := p.openDirectory()
	if err != nil {
		return -1, err
	}
	return reopenReadOnly(b.FD())
}

// closeDirectory releases the directory of an adapter that has no keys left.
func (p *Path) closeDirectory() {
	p.directoryMu.Lock()
	defer p.directoryMu.Unlock()
	if b := p.directory.Swap(nil); b != nil {
		_ = b.Close()
	}
}

// entryOf is the record of what the key table has at place.
func entryOf(place *atomic.Pointer[core.KeyEntry]) keydir.Entry {
	return func() (key uint32, r keydir.Record, ok bool) {
		g := place.Load()
		if g == nil || g.MR == nil || g.Hidden {
			return 0, r, false
		}
		r = keydir.Record{
			Access: uint64(g.Access), Addr: g.Addr, Len: uint64(len(g.Bytes)), Base: g.MR.Entry.Addr,
			Size: uint64(len(g.MR.Entry.Bytes)), Zone: g.PD.ID,
		}
		if g.Only != nil {
			c, ok := g.Only.Transport().(*Conn)
			if !ok {
				return 0, r, false
			}
			r.Only = c.number
		}
		f := fileOf(g.MR)
		if f != nil && f.detaching.Load() {
			return 0, r, false // see detachFile
		}
		if f != nil && !f.detached.Load() {
			r.File, r.Device, r.Offset = f.id.Inode, f.id.Device, uint64(f.offset)
		}
		if g.MR.Own {
			r.Own = 1
		}
		return uint32(g.Key), r, true
	}
}

// lists reports whether peers find the segment's key in the directory: it is not there if its bucket was full.
func (p *Path) lists(s hca.Segment) bool { return s.Len == 0 || p.current(s.Key) != 0 }

// current returns the first word of a key's record; 0 if there is none.
func (p *Path) current(key hca.Key) uint64 {
	if b := p.directory.Load(); b != nil {
		return b.Current(uint32(key))
	}
	return 0
}
