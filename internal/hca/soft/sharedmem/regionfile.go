package sharedmem

import (
	"sync"
	"sync/atomic"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/core"
	"github.com/godapl/godapl/internal/shm"
)

// mrFile is what a region can be mapped from by another process.
type mrFile struct {
	id     fileID
	offset int64
	detach func() error
	parted atomic.Bool // the region's memory is no longer the file's
}

// A fileID tells files apart as long as they are open. File systems number their files
// each for itself, so the number alone does not.
type fileID struct{ device, inode uint64 }

// identify finds out which file a descriptor stands for. Tests forge it.
var identify = sysIdentify

// files are those that regions of the adapter lie in. A peer gets a descriptor of
// one when it asks for it, which it does when it first uses a key of such a region.
type files struct {
	mu sync.Mutex
	m  map[fileID]*fileUse
}

type fileUse struct {
	fd      int
	regions map[*core.PD]int // in it, by their zones
}

// add notes a region's file; nil if it has none.
func (f *files) add(p *core.PD, mem hca.Memory) *mrFile {
	if mem.File == 0 {
		return nil
	}
	fd := int(mem.File)
	id, ok := identify(fd)
	if !ok {
		return nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.m == nil {
		f.m = make(map[fileID]*fileUse)
	}
	u := f.m[id]
	if u == nil {
		u = &fileUse{fd: fd, regions: make(map[*core.PD]int, 1)}
		f.m[id] = u
	}
	u.regions[p]++
	return &mrFile{id: id, offset: mem.Offset, detach: mem.Detach}
}

// drop is for a region that goes away.
func (f *files) drop(p *core.PD, x *mrFile) {
	if x == nil {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if u := f.m[x.id]; u != nil {
		if u.regions[p]--; u.regions[p] == 0 {
			delete(u.regions, p)
		}
		if len(u.regions) == 0 {
			delete(f.m, x.id)
		}
	}
}

// part takes the region's memory away from who maps its file. Peers that are not
// stuck lose nothing: they leave first, and find the region's other keys again
// when they lead to where the memory is now.
func (p *Path) part(m *core.MR, stuck *Conn) error {
	f := fileOf(m)
	if f == nil || f.detach == nil || f.parted.Swap(true) {
		return nil
	}
	b := p.directory.Load()
	places := p.places(m)
	for _, place := range places {
		if g := place.Load(); g != nil && b != nil {
			b.retire(uint32(g.Key))
		}
	}
	for _, place := range places {
		if g := place.Load(); g != nil {
			for _, c := range connections(m.PD) {
				if c != stuck {
					c.awaitLeft(g)
				}
			}
		}
	}
	err := f.detach()
	for _, place := range places {
		if b != nil {
			b.publish(place)
		}
	}
	return err
}

// places are where the table has the region's keys.
func (p *Path) places(m *core.MR) (list []*atomic.Pointer[core.KeyEntry]) {
	p.a.Keys.Each(func(place *atomic.Pointer[core.KeyEntry]) {
		if g := place.Load(); g != nil && g.MR == m {
			list = append(list, place)
		}
	})
	return list
}

func connections(pd *core.PD) (list []*Conn) {
	for _, q := range pd.QueuePairs() {
		if c, ok := q.Transport().(*Conn); ok {
			list = append(list, c)
		}
	}
	return list
}

// Messages on a connection's socket, after the start-up: which file is wanted, or
// comes, and whether for writing.
const fileMessage = 18

const (
	fileWanted = iota + 1
	fileComes
	fileRefused
)

func fileWord(kind uint8, write bool, id fileID) []byte {
	b := []byte{kind, 0}
	if write {
		b[1] = 1
	}
	return order64.AppendUint64(order64.AppendUint64(b, id.device), id.inode)
}

// talk takes what has come on the socket. The poller's goroutine calls it, alone.
func (c *Conn) talk() {
	c.sockMu.Lock()
	defer c.sockMu.Unlock()
	for !c.sockGone {
		var b [fileMessage + 1]byte
		n, fds, err := shm.RecvFD(c.sock, b[:])
		if err != nil {
			return // nothing there, or the end, which the poller tells
		}
		var id fileID
		if n == fileMessage {
			id = fileID{order64.Uint64(b[2:]), order64.Uint64(b[10:])}
		}
		switch {
		case n == fileMessage && b[0] == fileWanted && len(fds) == 0:
			c.p.files.send(c.sock, c.q.PD, id, b[1] != 0)
		case n == fileMessage && b[0] == fileComes && len(fds) == 1:
			c.maps.came(id, b[1] != 0, fds[0])
		case n == fileMessage && b[0] == fileRefused && len(fds) == 0:
			c.maps.refused(id, b[1] != 0)
		default:
			closeFDs(fds)
		}
	}
}

// send gives a peer of a zone a descriptor of a file of that zone, which is good for
// reading only if it asks for no more.
func (f *files) send(sock int, p *core.PD, id fileID, write bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	u := f.m[id]
	if u == nil || u.regions[p] == 0 {
		_ = shm.SendFD(sock, fileWord(fileRefused, write, id))
		return
	}
	fd := u.fd
	if !write {
		var err error
		if fd, err = reopenReadOnly(fd); err != nil {
			_ = shm.SendFD(sock, fileWord(fileRefused, write, id))
			return
		}
		defer shm.CloseFD(fd)
	}
	_ = shm.SendFD(sock, fileWord(fileComes, write, id), fd)
}

// want asks for a file. The caller is inside a gate.
func (c *Conn) want(id fileID, write bool) {
	_ = shm.SendFD(c.sock, fileWord(fileWanted, write, id))
}
