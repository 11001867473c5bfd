package dat

// Types of [Return]: what kind of thing went wrong. The value of a constant
// has no class bit; what a call returns has. Compare with [Return.Type] or
// errors.Is, never with ==.
const (
	Success                   Return = 0x0        // the call did what it was asked
	Abort                     Return = 0x10000    // the wait ended because its object went away
	ConnQualInUse             Return = 0x20000    // somebody listens on that connection qualifier
	InsufficientResources     Return = 0x30000    // memory, a queue or a limit of the adapter; nothing has changed
	InternalError             Return = 0x40000    // the library or the adapter broke
	InvalidHandle             Return = 0x50000    // a handle is null, stale, or of the wrong kind or adapter
	InvalidParameter          Return = 0x60000    // an argument that is no handle is out of range
	InvalidState              Return = 0x70000    // the state of the object forbids the call now
	LengthError               Return = 0x80000    // the target is smaller than the data
	ModelNotSupported         Return = 0x90000    // the adapter has no such feature
	ProviderNotFound          Return = 0xa0000    // no adapter of that name, version and thread safety
	PrivilegesViolation       Return = 0xb0000    // the memory lacks a right, or is gone
	ProtectionViolation       Return = 0xc0000    // the objects are of different zones
	QueueEmpty                Return = 0xd0000    // nothing to dequeue; no trigger in time
	QueueFull                 Return = 0xe0000    // no room for a software event
	TimeoutExpired            Return = 0xf0000    // too few events in time
	ProviderAlreadyRegistered Return = 0x100000   // the same entry is in the registry
	ProviderInUse             Return = 0x110000   // adapters of the provider are open
	InvalidAddress            Return = 0x120000   // the remote address cannot be used
	InterruptedCall           Return = 0x130000   // the wait was interrupted; here: its context ended
	ConnQualUnavailable       Return = 0x140000   // no connection qualifier is free
	NotImplemented            Return = 0xfff0000  // the provider leaves the call out; 2.0: 0x3fff0000
	ReservedLMR               Return = 0x150000   // kernel only; 2.0
	PortInUse                 Return = 0x160000   // somebody listens on that port; 2.0
	CommNotSupported          Return = 0x170000   // no such communicator; 2.0
	ExtensionBase             Return = 0x10000000 // first type of extensions; 2.0
)
