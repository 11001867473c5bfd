package mem

import (
	"fmt"

	"github.com/godapl/godapl/internal/hca"
)

// identity identifies the origin of memory: two processes compare it to check that they use
// the same memory.
type identity struct {
	device, inode, offset, length uint64
}

// RegisterShared is rdma.Zone.RegisterShared.
func (d *domain) RegisterShared(b []byte, id SharedID, rights Rights) (*Region, error) {
	r, err := d.registerShared(b, id, rights)
	if err != nil {
		return nil, hca.Named(err, "register shared", fmt.Sprintf("%d bytes in %s", len(b), d))
	}
	return r, nil
}

func (d *domain) registerShared(b []byte, id SharedID, rights Rights) (*Region, error) {
	if err := checkRights(rights); err != nil {
		return nil, err
	}
	if len(b) == 0 {
		return nil, hca.NewError(hca.Invalid, "", "", "a region needs at least one byte")
	}
	who, err := sysIdentity(b)
	if err != nil {
		return nil, err
	}
	leave, err := sysJoin(id, who)
	if err != nil {
		return nil, err
	}
	m := newPinned(b)
	m.keepMapping()
	m.atEnd = append(m.atEnd, leave)
	return d.register(m, rights)
}

func notShared(b []byte) error {
	return hca.NewError(hca.State, "register shared", fmt.Sprintf("%d bytes", len(b)),
		"the system does not share this memory between processes; OpenShared makes memory that it does, and so does mmap with MAP_SHARED")
}

func otherMemory(id SharedID) error {
	return hca.NewError(hca.Invalid, "register shared", fmt.Sprintf("%x", id[:8]),
		"another process has registered other memory, or another part of it, under these 40 bytes")
}
