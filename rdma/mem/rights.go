package mem

import "github.com/godapl/godapl/internal/hca"

// Rights is a set of rights over registered memory (uDAPL:
// DAT_MEM_PRIV_FLAGS, with the same numbers).
type Rights uint8

const (
	// LocalRead allows sends and writes from the memory, and binds that let
	// peers read.
	LocalRead Rights = 0x01
	// LocalWrite allows receives, reads and results of atomics into the memory,
	// and binds that let peers write.
	LocalWrite Rights = 0x10
	// RemoteRead lets peers read.
	RemoteRead Rights = 0x02
	// RemoteWrite lets peers write.
	RemoteWrite Rights = 0x20
	// RemoteAtomic lets peers add and compare-and-swap.
	RemoteAtomic Rights = 0x40

	// Local is both local rights.
	Local = LocalRead | LocalWrite
	// RemoteAll is every right of a peer.
	RemoteAll = RemoteRead | RemoteWrite | RemoteAtomic
	// All is every right.
	All = Local | RemoteAll
)

// The adapters have the same numbers.
const (
	_ = -uint(All ^ Rights(hca.AllAccess))
	_ = -uint(LocalRead ^ Rights(hca.LocalRead) | LocalWrite ^ Rights(hca.LocalWrite) | RemoteRead ^ Rights(hca.RemoteRead) |
		RemoteWrite ^ Rights(hca.RemoteWrite) | RemoteAtomic ^ Rights(hca.RemoteAtomic))
	_ = -uint(ZoneWindow ^ WindowKind(hca.ZoneWindow) | EndpointWindow ^ WindowKind(hca.EndpointWindow))
)

// String returns the names of the rights, joined with "+": "local-read+remote-read".
func (r Rights) String() string { return hca.Access(r).String() }

// Key names registered memory. A peer uses the remote key (iWARP: STag;
// uDAPL: DAT_RMR_CONTEXT). 0 is no key.
type Key uint32

// WindowKind is the scope in which the key of a window is valid (uDAPL 2.0: the
// RMR scope).
type WindowKind uint8

const (
	// ZoneWindow: the key is valid on every endpoint of the zone (verbs: type
	// 1).
	ZoneWindow WindowKind = 1
	// EndpointWindow: the key is valid only on the endpoint that has posted the
	// bind, and its peer may invalidate the key (verbs: type 2).
	EndpointWindow WindowKind = 2
)

// String returns "zone" or "endpoint".
func (k WindowKind) String() string {
	switch k {
	case ZoneWindow:
		return "zone"
	case EndpointWindow:
		return "endpoint"
	}
	return "unknown"
}
