package dat

import "net"

// Scalars, by the names of C.
type (
	// Count is a number of things, the length of a queue or of private data
	// (DAT_COUNT). It is signed.
	Count int32
	// Boolean is DAT_BOOLEAN.
	Boolean bool
	// Timeout is microseconds; [TimeoutInfinite] is for ever (DAT_TIMEOUT).
	Timeout uint32
	// ConnQual names a service at an adapter (DAT_CONN_QUAL).
	ConnQual uint64
	// PortQual is the qualifier of one end of a connection (DAT_PORT_QUAL).
	PortQual uint64
	// Vlen is a length of memory in bytes (DAT_VLEN).
	Vlen uint64
	// Vaddr is an address (DAT_VADDR), see [VaddrOf].
	Vaddr uint64
	// Paddr is a physical address (DAT_PADDR); nothing here uses it.
	Paddr uint64
	// SegLength is a length of one segment (DAT_SEG_LENGTH). 2.0; the structures
	// here have Vlen.
	SegLength uint32
	// LMRContext is the local key of registered memory (DAT_LMR_CONTEXT).
	LMRContext uint32
	// RMRContext is the key for peers (DAT_RMR_CONTEXT); 0 is none.
	RMRContext uint32
	// FD is a file descriptor (DAT_FD). 2.0.
	FD int
)

// Pvoid is a pointer to anything (DAT_PVOID).
type Pvoid = any

// IAAddressPtr is an address (DAT_IA_ADDRESS_PTR, a struct sockaddr in C):
// [net.IPAddr] or [net.TCPAddr] as a rule; of others the text counts. nil is NULL.
// The port matters to dat_ep_common_connect and dat_csp_create only.
type IAAddressPtr = net.Addr

// Context is an opaque value (DAT_CONTEXT): a number or a pointer. In C it is a
// union, here it has two members, and both come back. as_index is As64. A cookie
// with AsPtr costs a little more than a number.
type Context struct {
	As64  uint64
	AsPtr Pvoid
}

// DTOCookie goes with a post and comes back in its completion (DAT_DTO_COOKIE).
type DTOCookie = Context

// RMRCookie is the same for binds (DAT_RMR_COOKIE).
type RMRCookie = Context

// LMRCookie names memory shared by processes (DAT_LMR_COOKIE). All 40 bytes count;
// it is no string.
type LMRCookie [LMRCookieSize]byte

// AgentFunc is an agent (DAT_AGENT_FUNC). evd is a hint, or null when the
// notification object is going away.
type AgentFunc func(instanceData Pvoid, evd EVDHandle)

// OsWaitProxyAgent is an agent with its data (DAT_OS_WAIT_PROXY_AGENT).
type OsWaitProxyAgent struct {
	InstanceData   Pvoid
	ProxyAgentFunc AgentFunc
}

// OsWaitProxyAgentNull is no agent (DAT_OS_WAIT_PROXY_AGENT_NULL).
var OsWaitProxyAgentNull = OsWaitProxyAgent{}

// NamedAttr is an attribute by name (DAT_NAMED_ATTR).
type NamedAttr struct{ Name, Value string }

// LMRTriplet is a segment of local memory (DAT_LMR_TRIPLET, in 1.2's order). With
// SegmentLength 0 the rest is not looked at.
type LMRTriplet struct {
	LMRContext     LMRContext
	Pad            uint32
	VirtualAddress Vaddr
	SegmentLength  Vlen
}

// RMRTriplet is memory of a peer (DAT_RMR_TRIPLET, in 1.2's order; 2.0 calls the
// address virtual_address).
type RMRTriplet struct {
	RMRContext    RMRContext
	Pad           uint32
	TargetAddress Vaddr
	SegmentLength Vlen
}

// Comm is a communicator, as in socket() (DAT_COMM). 2.0.
type Comm struct{ Domain, Type, Protocol int }
