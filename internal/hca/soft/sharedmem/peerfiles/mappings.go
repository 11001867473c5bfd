package peerfiles

import (
	"maps"
	"sync"
	"sync/atomic"

	"github.com/godapl/godapl/internal/shm"
)

// Mappings are the peer's files and what is mapped of them here. A region is mapped on first use, with only the
// rights that are needed.
type Mappings struct {
	mu    sync.Mutex
	files map[File]*peerFile
	maps  map[Place]*peerMapping
	asked int // requests for files that have no answer yet
	news  int // files and mappings added since the last sweep,
	kept  int // which kept this number
}

// An ID identifies a file as long as it is open. The inode number alone does not: each file system numbers
// its own files.
type ID struct{ Device, Inode uint64 }

// A File is a file of the peer, as it is wanted.
type File struct {
	ID    ID
	Write bool
}

// A Place is a part of a file, in whole pages.
type Place struct {
	File
	Off  int64
	Size int
}

// peerFile is a file that was requested but is not mapped yet. file is nil until it arrives, and bad if it
// Never will. A mapped file needs no descriptor.
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

// Most bounds the mappings of one connection, and the files that it is about to map.
const Most = 1024

// askedMost bounds the requests for files that have no answer yet. So a socket always has room for the requests and the
// answers of two sides that keep to it, though its messages are sent without waiting: Linux has room for some 250.
const askedMost = 32

// peerMaps counts the mappings of all peers' memory, and peerBytes their bytes. Each may reach an eighth of what the
// process can have, because it needs mappings and addresses for other purposes too.
var peerMaps, peerBytes atomic.Int64

// mostBytes is an eighth of the addresses. A peer's file may be larger than all of them, since its pages need not exist.
const mostBytes = 1 << (29 + 15*(^uint(0)>>63))

// holdMap reserves one mapping.
func holdMap(size int) bool {
	most := shm.MostMappings()
	maps, bytes := peerMaps.Add(1), peerBytes.Add(int64(size))
	if maps > int64(most/8) && most > 0 || bytes > mostBytes {
		dropMap(size)
		return false
	}
	return true
}

func dropMap(size int) {
	peerMaps.Add(-1)
	peerBytes.Add(-int64(size))
}

func (x *peerMapping) unmap() {
	size := len(x.Bytes())
	_ = x.Unmap()
	dropMap(size)
}

// full reports whether nothing more can be mapped. The caller holds m.mu.
func (m *Mappings) full() bool { return len(m.maps)+len(m.files) >= Most }

// Get finds the mapping that a key leads to, or creates it. ask reports that the file must be requested; due
// reports that a sweep is due. File pages that the peer has freed cost addresses here, but no memory, until the
// Sweep.
func (m *Mappings) Get(k Place, key uint32) (b []byte, ask, due bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if x := m.maps[k]; x != nil {
		x.key = key
		return x.Bytes(), false, false
	}
	f := m.files[k.File]
	if f == nil {
		if m.full() {
			return nil, false, m.count()
		}
		if m.asked == askedMost {
			return nil, false, false // a later access requests it
		}
		m.asked++
		if m.files == nil {
			m.files = make(map[File]*peerFile)
			m.maps = make(map[Place]*peerMapping)
		}
		m.files[k.File] = &peerFile{key: key}
		return nil, true, m.count()
	}
	f.key = key
	if f.file == nil || f.bad {
		return nil, false, false
	}
	if !holdMap(k.Size) {
		return nil, false, m.count()
	}
	access := shm.ReadOnly
	if k.Write {
		access = shm.ReadWrite
	}
	x, err := f.file.Map(k.Off, k.Size, access)
	if err != nil {
		dropMap(k.Size)
		return nil, false, m.count()
	}
	_ = f.file.Close()
	delete(m.files, k.File)
	m.maps[k] = &peerMapping{x, key}
	return x.Bytes(), false, m.count()
}

// Never reports whether a file will not arrive, or cannot be mapped.
func (m *Mappings) Never(k File) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	f := m.files[k]
	return f == nil && m.full() || f != nil && (f.bad || f.file != nil)
}

// Add accepts a descriptor that was requested.
func (m *Mappings) Add(id ID, write bool, fd int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.answered()
	f := m.files[File{id, write}]
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

func (m *Mappings) Refused(id ID, write bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.answered()
	k := File{id, write}
	if f := m.files[k]; f != nil && f.awaited() {
		delete(m.files, k) // it may succeed another time
	}
}

// Lost takes note of an answer that could not be read: this process has no descriptor left, perhaps. Which file it was
// about is not known, so all that have not come are requested again by a later access.
func (m *Mappings) Lost() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.answered()
	maps.DeleteFunc(m.files, func(_ File, f *peerFile) bool { return f.awaited() })
}

// answered takes note of an answer. The caller holds m.mu.
func (m *Mappings) answered() { m.asked = max(m.asked-1, 0) }

// Close releases everything. No mapping is in use any more.
func (m *Mappings) Close() {
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
