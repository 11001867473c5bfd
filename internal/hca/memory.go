package hca

import "strings"

// Access is a set of rights over registered memory.
type Access uint8

// Rights. The numbers of the first four are uDAPL's DAT_MEM_PRIV_*.
const (
	LocalRead    Access = 0x01
	RemoteRead   Access = 0x02
	LocalWrite   Access = 0x10
	RemoteWrite  Access = 0x20
	RemoteAtomic Access = 0x40

	// RemoteAll is the part of a set that concerns peers.
	RemoteAll = RemoteRead | RemoteWrite | RemoteAtomic
	// AllAccess is every right there is.
	AllAccess = LocalRead | LocalWrite | RemoteAll
)

// String names the rights, joined with "+".
func (a Access) String() string {
	if a == 0 {
		return "none"
	}
	var names []string
	for _, n := range [...]struct {
		bit  Access
		name string
	}{
		{LocalRead, "local-read"}, {LocalWrite, "local-write"},
		{RemoteRead, "remote-read"}, {RemoteWrite, "remote-write"}, {RemoteAtomic, "remote-atomic"},
	} {
		if a&n.bit != 0 {
			names = append(names, n.name)
		}
	}
	if a&^AllAccess != 0 {
		names = append(names, "unknown")
	}
	return strings.Join(names, "+")
}

// A Key names registered memory: the local key in a segment, or the remote key
// that a peer was given. On iWARP a remote key is the STag.
type Key uint32

// Memory is what a region is registered over.
type Memory struct {
	// Bytes is the memory. The registrar keeps it alive, unmoved and mapped
	// until MR.Close has returned.
	Bytes []byte
	// File and Offset say where the memory can be mapped from by another
	// process, for memory that the library allocated. File is 0 if it cannot. The
	// registrar owns the descriptor and keeps it open until MR.Close has returned. The
	// descriptor gives access to the whole file, so the file holds one allocation only,
	// and an adapter gives it only to peers of the region's zone.
	File   uintptr
	Offset int64
	// Detach separates Bytes from the file, where there is one. Address and contents
	// stay, processes that map the file do not reach Bytes any more, and the range of
	// the file is never used again. An adapter calls it to take memory back from a
	// process that maps it and does not answer. Regions that are registered over the
	// same memory later have no File.
	Detach func() error
	// Own is set for pages that the library has mapped itself: they keep their rights
	// until MR.Close has returned. An access to other memory can fault at any time,
	// since the program may change its mappings and the mapped files. Then the adapter
	// ends the operation, not the process.
	Own bool
}

// PD is a protection domain (uDAPL: PZ). Keys work only between objects of one
// domain.
type PD interface {
	// Register makes mem usable for local and, with remote rights, for remote
	// access. It may block while pages are pinned. It fails with Privileges if the
	// pages do not allow the rights, on systems that can report that.
	Register(mem Memory, access Access) (MR, error)
	// NewWindow makes an unbound window. Unsupported if the adapter has no
	// windows of that kind.
	NewWindow(kind WindowKind) (MW, error)
	// NewSRQ makes a shared receive queue.
	NewSRQ(cfg SRQConfig) (SRQ, error)
	// Close fails with InUse while regions, windows, shared receive queues or
	// queue pairs belong to the domain.
	Close() error
}

// Mapper is what a domain may be besides: one that knows whether peers can map memory. Of a domain
// that does not tell, they can.
type Mapper interface {
	// PeersMap reports whether a peer may map the memory of a region from its file. If not, no memory
	// for the domain needs a file, which takes a descriptor.
	PeersMap() bool
}

// MR is a registered region (uDAPL: LMR).
type MR interface {
	// Addr is the address that segments and peers use for the first byte.
	Addr() uint64
	// Len is the number of bytes registered.
	Len() int
	// LKey is for local segments.
	LKey() Key
	// RKey is for peers; 0 if no remote right was given.
	RKey() Key
	// Close revokes both keys. It succeeds with work posted: that work
	// completes with a protection error when its turn comes. When Close returns,
	// no access is under way and none will start. It fails with InUse while a
	// window is bound to the region.
	Close() error
}

// Modifier is what a region may be besides: one whose rights can change.
type Modifier interface {
	// Modify gives the region other rights, under its keys. When it returns, no access that
	// only the former rights allow is under way, and none will start; posted work that needs
	// them completes with a protection error. It fails with Privileges as PD.Register does,
	// and with InUse while a window is bound to the region; then nothing has changed.
	Modify(access Access) error
}

// Adopter is what a domain may be besides: one that takes over regions of other domains.
type Adopter interface {
	// Adopt moves the registration of a region of the same adapter to this domain, under its
	// keys and with these rights. mem is the region's memory. The region is closed then, and
	// the result takes its place. What holds for Modifier.Modify holds for accesses that only
	// the former region allows, and for errors.
	Adopt(m MR, mem Memory, access Access) (MR, error)
}

// WindowKind is the scope in which a window's key is good.
type WindowKind uint8

const (
	// ZoneWindow keys are good on every queue pair of the domain (verbs type 1).
	ZoneWindow WindowKind = 1
	// EndpointWindow keys are good on the queue pair they were bound through
	// only, and may be invalidated by the peer (verbs type 2).
	EndpointWindow WindowKind = 2
)

// MW is a memory window (uDAPL: RMR). It is bound and unbound by an OpBind
// work request.
type MW interface {
	Kind() WindowKind
	// RKey is the key of the latest bind that was posted; 0 before the first.
	RKey() Key
	// Close revokes the window, bound or not.
	Close() error
}
