package mem

import (
	"sync/atomic"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/shm"
)

// Memory that other processes of the same user on this host may map gets a memory file (memfd)
// of its own, if the system has them: memory with remote rights, and large memory, from which
// peers fetch messages. The number of files is limited, as each takes a mapping and a
// descriptor. Beyond that or another limit the memory is anonymous, and peers access it by
// slower means. If no peer of the adapter can map memory (hca.Mapper), there are no files. The same holds for memory with transparent huge pages, which memory files
// usually do not get.

// largeLeast is the minimum size of large memory, in bytes.
const largeLeast = 64 << 10

// own counts the files.
var own ownFiles

type ownFiles struct{ all, small atomic.Int64 }

// mostFiles is the limit: the least of a sixteenth of the process's mappings, a quarter of its
// descriptors, and 4096. At most half of them are for small memory.
var mostFiles = func() int64 {
	return int64(min(shm.MostMappings()/16, shm.MostDescriptors()/4, 4096))
}

// take counts one more file if the limit allows it.
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

// mappable reports whether memory of n bytes with these rights should have a file.
func (d *domain) mappable(n int, rights Rights) bool {
	if m, ok := d.pd.(hca.Mapper); ok && !m.PeersMap() {
		return false
	}
	return n >= largeLeast || rights&RemoteAll != 0
}

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

// freeShared drops a file whose memory is not mapped any more.
func freeShared(e *shm.Extent) {
	e.Free()
	own.give(e.Len < largeLeast)
}
