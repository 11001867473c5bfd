package sharedmem

import (
	"errors"
	"sync"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/core"
	"github.com/godapl/godapl/internal/hca/soft/sharedmem/peerfiles"
	"github.com/godapl/godapl/internal/shm"
)

// mrFile is a region's place in the file from which another process can map it.
type mrFile struct {
	*backing
	offset int64
}

// identify finds the file of a descriptor. Tests replace it.
var identify = sysIdentify

// files are the files in which the adapter's regions lie. A peer requests a descriptor of a file when it first
// uses a key of such a region.
type files struct {
	mu sync.Mutex
	m  map[peerfiles.ID]*fileUse
}

type fileUse struct {
	fd      int
	regions map[*core.PD]int // in the file, by protection domain
}

// add notes the file of a region of path p; it returns nil if the region has none.
func (f *files) add(p *Path, m *core.MR, mem hca.Memory) *mrFile {
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
		f.m = make(map[peerfiles.ID]*fileUse)
	}
	u := f.m[id]
	if u == nil {
		u = &fileUse{fd: fd, regions: make(map[*core.PD]int, 1)}
		f.m[id] = u
	}
	u.regions[m.PD]++
	return &mrFile{offset: mem.Offset, backing: backings.hold(id, m, p, mem.Detach)}
}

// drop forgets the file of a region that is deregistered.
func (f *files) drop(m *core.MR) {
	x, p := fileOf(m), m.PD
	if x == nil {
		return
	}
	backings.drop(x.backing, m)
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

// Messages on a connection's socket after the handshake: they request or deliver a file, and tell whether it is
// for writing.
const fileMessage = 18

const (
	fileWanted = iota + 1
	fileComes
	fileRefused
)

func encodeFileMessage(kind uint8, write bool, id peerfiles.ID) []byte {
	b := []byte{kind, 0}
	if write {
		b[1] = 1
	}
	return order64.AppendUint64(order64.AppendUint64(b, id.Device), id.Inode)
}

// socketRun is how many messages of the socket are handled before other connections run.
const socketRun = 32

// handleSocket handles what has arrived on the socket.
func (c *Conn) handleSocket() {
	c.sockMu.Lock()
	defer c.sockMu.Unlock()
	for handled := 0; !c.sockGone; handled++ {
		if handled == socketRun {
			c.reportSocket()
			return
		}
		var b [fileMessage + 1]byte
		n, fds, err := shm.RecvFD(c.sock, b[:])
		switch {
		case errors.Is(err, shm.ErrResources), errors.Is(err, shm.ErrUnfit):
			c.maps.Lost()
			continue
		case err != nil:
			return // nothing arrived, or the end, which the poller reports
		}
		var id peerfiles.ID
		if n == fileMessage {
			id = peerfiles.ID{Device: order64.Uint64(b[2:]), Inode: order64.Uint64(b[10:])}
		}
		switch {
		case n == fileMessage && b[0] == fileWanted && len(fds) == 0:
			c.p.files.send(c.sock, c.q.PD, c.q.Config.Refuse, id, b[1] != 0)
			c.stirred()
		case n == fileMessage && b[0] == fileComes && len(fds) == 1:
			c.maps.Add(id, b[1] != 0, fds[0])
		case n == fileMessage && b[0] == fileRefused && len(fds) == 0:
			c.maps.Refused(id, b[1] != 0)
		default:
			shm.CloseFDs(fds)
		}
	}
}

// send gives a peer that is connected to a protection domain a descriptor of one of its files, read-only unless
// it requests write access, which the queue pair must not refuse.
func (f *files) send(sock int, p *core.PD, refuses hca.Access, id peerfiles.ID, write bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	u := f.m[id]
	if u == nil || u.regions[p] == 0 || write && refuses&hca.RemoteWrite != 0 {
		_ = shm.SendFD(sock, encodeFileMessage(fileRefused, write, id))
		return
	}
	fd := u.fd
	if !write {
		var err error
		if fd, err = reopenReadOnly(fd); err != nil {
			_ = shm.SendFD(sock, encodeFileMessage(fileRefused, write, id))
			return
		}
		defer shm.CloseFD(fd)
	}
	if err := shm.SendFD(sock, encodeFileMessage(fileComes, write, id), fd); err != nil { // too many descriptors on their way, perhaps
		_ = shm.SendFD(sock, encodeFileMessage(fileRefused, write, id))
	}
}

// requestFile requests a file. The caller is inside a gate.
func (c *Conn) requestFile(id peerfiles.ID, write bool) {
	if err := shm.SendFD(c.sock, encodeFileMessage(fileWanted, write, id)); err != nil {
		c.maps.Refused(id, write) // a later access requests it again
	}
	c.stirred()
}
