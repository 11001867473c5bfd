package mem

import "github.com/godapl/godapl/internal/hca"

// Rights is a set of rights over registered memory (uDAPL:
// DAT_MEM_PRIV_FLAGS, with the same numbers).
type Rights uint8

const (
	// LocalRead is for sends, writes and binds that let peers read.
	LocalRead Rights = 0x01
	// LocalWrite is for receives, reads, atomics (their result) and binds that
	// let peers write.
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
	// All is every right there is.
	All = Local | RemoteAll
)

// The adapters have the same numbers.
const (
	_ = -uint(All ^ Rights(hca.AllAccess))
	_ = -uint(LocalRead ^ Rights(hca.LocalRead) | LocalWrite ^ Rights(hca.LocalWrite) | RemoteRead ^ Rights(hca.RemoteRead) |
		RemoteWrite ^ Rights(hca.RemoteWrite) | RemoteAtomic ^ Rights(hca.RemoteAtomic))
	_ = -uint(ZoneWindow ^ WindowKind(hca.ZoneWindow) | EndpointWindow ^ WindowKind(hca.EndpointWindow))
)

// String names the rights, joined with "+": "local-read+remote-read".
func (r Rights) String() string { return hca.Access(r).String() }

// Key names registered memory. A peer uses the remote key (iWARP: STag;
// uDAPL: DAT_RMR_CONTEXT). 0 is no key.
type Key uint32

// WindowKind is the scope in which the key of a window is good (uDAPL 2.0: the
// RMR scope).
type WindowKind uint8

const (
	// ZoneWindow keys are good on every endpoint of the zone (verbs: type 1).
	ZoneWindow WindowKind = 1
	// EndpointWindow keys are good on the endpoint they were bound through,
	// and that peer may invalidate them (verbs: type 2).
	EndpointWindow WindowKind = 2
)

// String gives "zone" or "endpoint".
func (k WindowKind) String() string {
	switch k {
	case ZoneWindow:
		return "zone"
	case EndpointWindow:
		return "endpoint"
	}
	return "unknown"
}
