package soft

import (
	"sync"

	"github.com/godapl/godapl/internal/shm"
)

// shmMaps are a peer's files and what of them is mapped here: each region on first
// use, with just the rights that are needed.
type shmMaps struct {
	mu    sync.Mutex
	files map[fileKey]*peerFile
	maps  map[mapKey]*shm.Mapping
}

type fileKey struct {
	id    uint64
	write bool
}

type mapKey struct {
	fileKey
	off  int64
	size int
}

// peerFile is one that was asked for; file is nil as long as it has not come, and
// bad if it never will.
type peerFile struct {
	file *shm.File
	bad  bool
}

// mapsMost bounds the mappings of one connection.
const mapsMost = 1024

// get finds the mapping, or makes it. ask says that the file has to be asked for.
// A mapping lasts as long as
// the connection: what the peer frees of its file costs addresses here, no memory.
func (m *shmMaps) get(k mapKey) (b []byte, ask bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if x := m.maps[k]; x != nil {
		return x.Bytes(), false
	}
	f := m.files[k.fileKey]
	if f == nil {
		if m.files == nil {
			m.files = make(map[fileKey]*peerFile)
			m.maps = make(map[mapKey]*shm.Mapping)
		}
		m.files[k.fileKey] = &peerFile{}
		return nil, true
	}
	if f.file == nil || f.bad || len(m.maps) >= mapsMost {
		return nil, false
	}
	access := shm.ReadOnly
	if k.write {
		access = shm.ReadWrite
	}
	x, err := f.file.Map(k.off, k.size, access)
	if err != nil {
		return nil, false
	}
	m.maps[k] = x
	return x.Bytes(), false
}

// never is whether a file will not come, or cannot be mapped.
func (m *shmMaps) never(k fileKey) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	f := m.files[k]
	return f != nil && (f.bad || f.file != nil)
}

// came takes a descriptor that was asked for.
func (m *shmMaps) came(id uint64, write bool, fd int) {
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

func (m *shmMaps) refused(id uint64, write bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.files, fileKey{id, write}) // it may be there another time
}

// close gives everything back. Nobody uses a mapping any more.
func (m *shmMaps) close() {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, x := range m.maps {
		_ = x.Unmap()
	}
	for _, f := range m.files {
		if f.file != nil {
			_ = f.file.Close()
		}
	}
	m.maps, m.files = nil, nil
}
