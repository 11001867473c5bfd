package mem

import (
	"sync/atomic"

	"github.com/godapl/godapl/internal/shm"
)

// What peers of the same user on the same host are to map, and work on by themselves,
// lies in a file of memory of its own, where the system has them: memory with remote
// rights, and what is large, of which they fetch messages. There is a bound, as each takes
// a mapping and a descriptor. Beyond it, or where another limit is reached, the memory is
// anonymous, and peers reach it by other, slower ways. So it is for memory that shall have
// transparent huge pages, which files of memory usually do not get.

// largeLeast is from how many bytes on memory is large.
const largeLeast = 64 << 10

// own counts the files.
var own ownFiles

type ownFiles struct{ all, small atomic.Int64 }

// mostFiles is how many there may be: a sixteenth of the mappings that a process may have,
// a quarter of its descriptors, and 4096. Small ones are half of these at most.
var mostFiles = func() int64 {
	return int64(min(shm.MostMappings()/16, shm.MostDescriptors()/4, 4096))
}

// take counts a file, if there may be one more.
func (o *ownFiles) take(small bool) bool {
	most := mostFiles()
	if o.all.Add(1) > most || small && o.small.Load() >= most/2 {
		o.all.Add(-1)
		return false
	}
	if small {
		o.small.Add(1)
	}
	return true
}

func (o *ownFiles) give(small bool) {
	o.all.Add(-1)
	if small {
		o.small.Add(-1)
	}
}

// mappable is whether memory of n bytes with these rights had better have a file.
func mappable(n int, rights Rights) bool { return n >= largeLeast || rights&RemoteAll != 0 }

// allocateShared maps a file of n bytes, whole pages, of huge ones if huge is their size; nil
// if it cannot.
func allocateShared(n, huge int) *memory {
	small := n < largeLeast
	if !own.take(small) {
		return nil
	}
	e, err := shm.NewExtent("godapl", n, huge)
	if err != nil {
		own.give(small)
		return nil
	}
	b, err := e.Map()
	if err != nil {
		e.Free()
		own.give(small)
		return nil
	}
	m := newMapped(b, max(huge, PageSize()))
	m.extent = e
	return m
}

// freeShared is for memory that is not mapped there any more.
func freeShared(e *shm.Extent) {
	e.Free()
	own.give(e.Len < largeLeast)
}
