package sharedmem

import (
	"sync"
	"sync/atomic"

	"github.com/godapl/godapl/internal/shm"
)

// mappings are a peer's files and what of them is mapped here: each region on first
// use, with just the rights that are needed.
type mappings struct {
	mu    sync.Mutex
	files map[fileKey]*peerFile
	maps  map[mapKey]*peerMapping
	news  int // files and mappings wanted since the last sweep,
	kept  int // which left so many
}

type fileKey struct {
	id    fileID
	write bool
}

type mapKey struct {
	fileKey
	off  int64
	size int
}

// peerFile is one that was asked for and is not mapped; file is nil as long as it has not
// come, and bad if it never will. What is mapped needs its descriptor no more.
type peerFile struct {
	file *shm.File
	bad  bool
	key  uint32 // that has led to it last
}

type peerMapping struct {
	*shm.Mapping
	key uint32 // that has led to it last
}

// mapsMost bounds the mappings of one connection, and its files that are to be mapped.
const mapsMost = 1024

// peerMaps counts what is mapped of all peers. It may be an eighth of what the system
// allows the process: whoever has many connections needs mappings for other things, too.
var peerMaps atomic.Int64

// holdMap counts one more.
func holdMap() bool {
	if most := shm.MostMappings(); peerMaps.Add(1) > int64(most/8) && most > 0 {
		peerMaps.Add(-1)
		return false
	}
	return true
}

func (x *peerMapping) unmap() {
	_ = x.Unmap()
	peerMaps.Add(-1)
}

// full is whether nothing more can be mapped. m.mu is held.
func (m *mappings) full() bool { return len(m.maps)+len(m.files) >= mapsMost }

// get finds the mapping that a key leads to, or makes it. ask says that the file has
// to be asked for. What the peer has freed of its file costs addresses here, no memory,
// until it is swept up: due says that it is time.
func (m *mappings) get(k mapKey, key uint32) (b []byte, ask, due bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if x := m.maps[k]; x != nil {
		x.key = key
		return x.Bytes(), false, false
	}
	f := m.files[k.fileKey]
	if f == nil {
		if m.full() {
			return nil, false, m.count()
		}
		if m.files == nil {
			m.files = make(map[fileKey]*peerFile)
			m.maps = make(map[mapKey]*peerMapping)
		}
		m.files[k.fileKey] = &peerFile{key: key}
		return nil, true, m.count()
	}
	f.key = key
	if f.file == nil || f.bad {
		return nil, false, false
	}
	if !holdMap() {
		return nil, false, m.count()
	}
	access := shm.ReadOnly
	if k.write {
		access = shm.ReadWrite
	}
	x, err := f.file.Map(k.off, k.size, access)
	if err != nil {
		peerMaps.Add(-1)
		return nil, false, m.count()
	}
	_ = f.file.Close()
	delete(m.files, k.fileKey)
	m.maps[k] = &peerMapping{x, key}
	return x.Bytes(), false, m.count()
}

// never is whether a file will not come, or cannot be mapped.
func (m *mappings) never(k fileKey) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	f := m.files[k]
	return f == nil && m.full() || f != nil && (f.bad || f.file != nil)
}

// came takes a descriptor that was asked for.
func (m *mappings) came(id fileID, write bool, fd int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	f := m.files[fileKey{id, write}]
	if f == nil || f.file != nil || f.bad {
		shm.CloseFD(fd)
		return
	}
	file, err := shm.OpenFile(fd)
	if err != nil || file.Huge() { // pages of a huge one could be taken away again
		if err == nil {
			_ = file.Close()
		}
		f.bad = true
		return
	}
	f.file = file
}

func (m *mappings) refused(id fileID, write bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	k := fileKey{id, write}
	if f := m.files[k]; f != nil && f.file == nil && !f.bad {
		delete(m.files, k) // it may be there another time
	}
}

// close gives everything back. Nobody uses a mapping any more.
func (m *mappings) close() {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, x := range m.maps {
		x.unmap()
	}
	for _, f := range m.files {
		if f.file != nil {
			_ = f.file.Close()
		}
	}
	m.maps, m.files = nil, nil
}
