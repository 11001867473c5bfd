package sharedmem

import (
	"maps"
	"sync"
	"sync/atomic"

	"github.com/godapl/godapl/internal/shm"
)

// mappings are the peer's files and what is mapped of them here. A region is mapped on first use, with only the
// rights that are needed.
type mappings struct {
	mu    sync.Mutex
	files map[fileKey]*peerFile
	maps  map[mapKey]*peerMapping
	asked int // requests for files that have no answer yet
	news  int // files and mappings added since the last sweep,
	kept  int // which kept this number
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

// peerFile is a file that was requested but is not mapped yet. file is nil until it arrives, and bad if it
// never will. A mapped file needs no descriptor.
type peerFile struct {
	file *shm.File
	bad  bool
	key  uint32 // the key that last led to it
}

// awaited reports whether the file may still come.
func (f *peerFile) awaited() bool { return f.file == nil && !f.bad }

type peerMapping struct {
	*shm.Mapping
	key uint32 // the key that last led to it
}

// mapsMost bounds the mappings of one connection, and the files that it is about to map.
const mapsMost = 1024

// askedMost bounds the requests for files that have no answer yet. So a socket always has room for the requests and the
// answers of two sides that keep to it, though its messages are sent without waiting: Linux has room for some 250.
const askedMost = 32

// peerMaps counts the mappings of all peers' memory. It may reach an eighth of the system's limit for the
// process, because a process with many connections needs mappings for other purposes too.
var peerMaps atomic.Int64

// holdMap reserves one mapping.
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

// full reports whether nothing more can be mapped. The caller holds m.mu.
func (m *mappings) full() bool { return len(m.maps)+len(m.files) >= mapsMost }

// get finds the mapping that a key leads to, or creates it. ask reports that the file must be requested; due
// reports that a sweep is due. File pages that the peer has freed cost addresses here, but no memory, until the
// sweep.
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
		if m.asked == askedMost {
			return nil, false, false // a later access requests it
		}
		m.asked++
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

// never reports whether a file will not arrive, or cannot be mapped.
func (m *mappings) never(k fileKey) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	f := m.files[k]
	return f == nil && m.full() || f != nil && (f.bad || f.file != nil)
}

// add accepts a descriptor that was requested.
func (m *mappings) add(id fileID, write bool, fd int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.answered()
	f := m.files[fileKey{id, write}]
	if f == nil || !f.awaited() {
		shm.CloseFD(fd)
		return
	}
	file, err := shm.OpenFile(fd)
	if err != nil || file.Huge() { // a huge file's pages could be taken away again
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
	m.answered()
	k := fileKey{id, write}
	if f := m.files[k]; f != nil && f.awaited() {
		delete(m.files, k) // it may succeed another time
	}
}

// lost takes note of an answer that could not be read: this process has no descriptor left, perhaps. Which file it was
// about is not known, so all that have not come are requested again by a later access.
func (m *mappings) lost() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.answered()
	maps.DeleteFunc(m.files, func(_ fileKey, f *peerFile) bool { return f.awaited() })
}

// answered takes note of an answer. The caller holds m.mu.
func (m *mappings) answered() { m.asked = max(m.asked-1, 0) }

// close releases everything. No mapping is in use any more.
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
