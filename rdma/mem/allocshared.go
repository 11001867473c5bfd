package mem

import "github.com/godapl/godapl/internal/shm"

// Memory that the library allocates comes out of files of memory, where the system has
// them: a process of the same user on the same host can then map it and work on it
// itself. Where it has none, or a limit is reached (descriptors, a file's size),
// anonymous memory does, and peers reach it by other, slower ways. So it does for
// memory that shall have transparent huge pages, which files of memory usually do
// not get.

// arena holds all that has ordinary pages: a descriptor stands for a gibibyte of small
// regions or for one large one.
var arena = shm.NewArena("godapl", shm.ArenaSize)

// allocateShared maps n bytes, whole pages, of the arena; nil if it cannot.
func allocateShared(n int) *memory {
	e, err := arena.Alloc(n)
	if err != nil {
		return nil
	}
	return mapShared(e, PageSize())
}

// allocateSharedHuge maps n bytes, whole huge pages, of a file of their own; nil
// if it cannot.
func allocateSharedHuge(n, huge int) *memory {
	e, err := shm.NewExtent("godapl", n, huge)
	if err != nil {
		return nil
	}
	return mapShared(e, huge)
}

func mapShared(e *shm.Extent, pageSize int) *memory {
	b, err := e.Map()
	if err != nil {
		e.Free()
		return nil
	}
	return newShared(b, pageSize, e)
}
