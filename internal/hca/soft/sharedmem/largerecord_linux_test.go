package sharedmem

import (
	"testing"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/sharedmem/keydir"
	"github.com/godapl/godapl/internal/hca/soft/sharedmem/peerfiles"
	"github.com/godapl/godapl/internal/shm"
)

// TestAPeersRegionIsLargerThanAddresses: in a process of 32 bits, the lower half of its size is not taken for the size.
func TestAPeersRegionIsLargerThanAddresses(t *testing.T) {
	c := new(Conn)
	defer c.maps.Close()
	const size = 1<<32 + pageSize
	r := keydir.Record{Access: uint64(hca.RemoteRead), Addr: pageSize, Len: size, Base: pageSize, Size: size, File: 1}
	file := peerfiles.File{ID: peerfiles.ID{Inode: r.File}}
	c.maps.Get(peerfiles.Place{File: file, Size: pageSize}, 1)
	seg, err := shm.NewSegment("test", pageSize, 0)
	if err != nil {
		t.Fatal(err)
	}
	fd, err := reopenReadOnly(seg.FD())
	if err != nil {
		t.Fatal(err)
	}
	_ = seg.Close()
	c.maps.Add(file.ID, false, fd)
	v := &rkey{key: 1, access: hca.RemoteRead, addr: r.Addr, size: r.Len}
	if c.accept(v, &r, 1, hca.RemoteRead) || v.mem != nil {
		t.Errorf("%d bytes of a file of one page are accepted", len(v.mem))
	}
}
