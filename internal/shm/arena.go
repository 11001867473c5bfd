package shm

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"sync"
)

// An Arena hands out ranges of sealed files. Descriptors are scarce (a program may
// have ten thousand regions, and 1024 descriptors), file offsets are not: a file
// is large and empty at first, and takes the memory of the pages that are touched.
// What is large gets a file of its own. All methods may be called concurrently.
//
// A descriptor stands for the whole file. A peer that has one could map its other
// ranges, too: see the package comment for what that means.
type Arena struct {
	name string
	size int64

	mu    sync.Mutex
	files []*arenaFile
}

type arenaFile struct {
	file *File
	own  bool    // of one extent
	free []space // by offset, none touches the next
	used int     // extents
}

type space struct{ off, n int64 }

// An Extent is a range of a file. Who has it maps it, and gives it back.
type Extent struct {
	File   *File
	Offset int64
	Len    int

	arena *Arena
	from  *arenaFile

	mu       sync.Mutex
	detached bool
	over     bool
}

// ArenaSize is a good size for the files of an arena, in bytes.
const ArenaSize = 1 << 30

// NewArena has files of so many bytes.
func NewArena(name string, fileSize int64) *Arena { return &Arena{name: name, size: fileSize} }

// Alloc finds n bytes of zeros, whole pages, that nobody else has. The error is
// [CreateFile]'s, or ErrUnsupported where a lack of memory would not be an
// error but a signal when the memory is touched.
func (a *Arena) Alloc(n int) (*Extent, error) {
	const op = "allocate shared memory"
	page := os.Getpagesize()
	if n <= 0 || n%page != 0 {
		return nil, fail(op, ErrInvalid, fmt.Sprintf("%d bytes in pages of %d", n, page), nil)
	}
	if strictMemory() {
		return nil, fail(op, ErrUnsupported, "the system promises no more memory than it has (vm.overcommit_memory=2), and that promise does not cover files of memory", nil)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if int64(n) > a.size/4 {
		return a.add(int64(n), true, n)
	}
	for _, f := range a.files {
		if off, ok := f.take(int64(n)); ok {
			return a.extent(f, off, n), nil
		}
	}
	return a.add(a.size, false, n)
}

// add makes a file and takes n bytes of it.
func (a *Arena) add(size int64, own bool, n int) (*Extent, error) {
	file, err := CreateFile(a.name, size, 0)
	if err != nil {
		return nil, err
	}
	f := &arenaFile{file: file, own: own, free: []space{{0, size}}}
	a.files = append(a.files, f)
	off, _ := f.take(int64(n))
	return a.extent(f, off, n), nil
}

func (a *Arena) extent(f *arenaFile, off int64, n int) *Extent {
	f.used++
	return &Extent{File: f.file, Offset: off, Len: n, arena: a, from: f}
}

// NewExtent is an extent without an arena: a file of its own, of huge pages if huge
// is their size.
func NewExtent(name string, n, huge int) (*Extent, error) {
	file, err := CreateFile(name, int64(n), huge)
	if err != nil {
		return nil, err
	}
	f := &arenaFile{file: file, own: true}
	a := &Arena{files: []*arenaFile{f}}
	return a.extent(f, 0, n), nil
}

// Map maps the extent, to be read and written. The addresses are the caller's.
func (e *Extent) Map() ([]byte, error) {
	m, err := e.File.Map(e.Offset, e.Len, ReadWrite)
	if err != nil {
		return nil, err
	}
	return m.Bytes(), nil
}

// take cuts n bytes from the first space that has them.
func (f *arenaFile) take(n int64) (off int64, ok bool) {
	for i := range f.free {
		s := &f.free[i]
		if s.n < n {
			continue
		}
		off = s.off
		s.off, s.n = s.off+n, s.n-n
		if s.n == 0 {
			f.free = slices.Delete(f.free, i, i+1)
		}
		return off, true
	}
	return 0, false
}

// put gives a range back, and joins it with its neighbours.
func (f *arenaFile) put(off, n int64) {
	i, _ := slices.BinarySearchFunc(f.free, off, func(s space, off int64) int { return cmp.Compare(s.off, off) })
	f.free = slices.Insert(f.free, i, space{off, n})
	if i+1 < len(f.free) && off+n == f.free[i+1].off {
		f.free[i].n += f.free[i+1].n
		f.free = slices.Delete(f.free, i+1, i+2)
	}
	if i > 0 && f.free[i-1].off+f.free[i-1].n == off {
		f.free[i-1].n += f.free[i].n
		f.free = slices.Delete(f.free, i, i+1)
	}
}

// Detach is [Detach] of b, the extent's own mapping. Its range is never given to
// anybody else. A second time does nothing.
func (e *Extent) Detach(b []byte) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.over {
		return fail("detach", ErrClosed, "", nil)
	}
	if e.detached {
		return nil
	}
	if err := Detach(b, e.File, e.Offset); err != nil {
		return err
	}
	e.detached = true
	return nil
}

// Detached is whether the range is not the memory any more.
func (e *Extent) Detached() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.detached
}

// Free gives the range back; whoever mapped it has unmapped it before, or lost the
// right to use it. Its pages go to the system, so that the next one finds
// zeros. A second time is ErrClosed.
func (e *Extent) Free() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.over {
		return fail("free", ErrClosed, "", nil)
	}
	e.over = true
	// A peer may keep the file open, so closing it is not enough.
	punched := e.File.Punch(e.Offset, int64(e.Len)) == nil
	e.arena.put(e, e.detached || !punched)
	return nil
}

// put takes a range back. A file that is empty is closed: who has freed everything
// holds nothing.
func (a *Arena) put(e *Extent, lost bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	f := e.from
	if f.used--; !lost {
		f.put(e.Offset, int64(e.Len))
	}
	if f.used == 0 {
		f.file.Close()
		a.files = slices.DeleteFunc(a.files, func(g *arenaFile) bool { return g == f })
	}
}

// Files is how many descriptors the arena holds.
func (a *Arena) Files() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.files)
}
