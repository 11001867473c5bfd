package iwarp

// Layer is the layer of the stack in which an error occurred.
type Layer uint8

const (
	LayerRDMAP Layer = 0
	LayerDDP   Layer = 1
	LayerLLP   Layer = 2 // MPA
)

// EType is the type of an error; its meaning depends on the layer.
type EType uint8

const (
	ETypeLocal      EType = 0 // RDMAP, DDP: local catastrophic
	ETypeMPA        EType = 0 // LLP
	ETypeProtection EType = 1 // RDMAP: remote protection
	ETypeOperation  EType = 2 // RDMAP: remote operation
	ETypeTagged     EType = 1 // DDP: tagged buffer
	ETypeUntagged   EType = 2 // DDP: untagged buffer
)

// Cause is layer, type and code of an error, in the form of the first two bytes of a
// Terminate (RFC 5040, 4.8). A peer may send causes that are not listed here; they keep
// their numbers.
type Cause uint16

const (
	CauseRDMAPLocal Cause = 0x0000 // the sender of the Terminate has failed

	// The source of a Read Request, and the STag to invalidate.
	CauseProtSTag        Cause = 0x0100
	CauseProtBounds      Cause = 0x0101
	CauseProtAccess      Cause = 0x0102 // the right is missing; for Writes too
	CauseProtStream      Cause = 0x0103 // another zone or stream
	CauseProtWrap        Cause = 0x0104
	CauseProtInvalidate  Cause = 0x0109 // the peer may not invalidate this STag
	CauseProtUnspecified Cause = 0x01ff

	CauseOpVersion     Cause = 0x0205
	CauseOpUnexpected  Cause = 0x0206 // opcode
	CauseOpStream      Cause = 0x0207 // catastrophic, this stream
	CauseOpGlobal      Cause = 0x0208 // catastrophic, all streams
	CauseOpInvalidate  Cause = 0x0209 // the STag cannot be invalidated
	CauseOpUnspecified Cause = 0x02ff

	CauseDDPLocal Cause = 0x1000

	// Writes and Read Responses.
	CauseTaggedSTag    Cause = 0x1100
	CauseTaggedBounds  Cause = 0x1101
	CauseTaggedStream  Cause = 0x1102
	CauseTaggedWrap    Cause = 0x1103
	CauseTaggedVersion Cause = 0x1104

	// Sends, requests and Terminates.
	CauseUntaggedQN       Cause = 0x1201
	CauseUntaggedNoBuffer Cause = 0x1202 // the right MSN, and no receive or no room in the read queue
	CauseUntaggedMSN      Cause = 0x1203
	CauseUntaggedMO       Cause = 0x1204
	CauseUntaggedLong     Cause = 0x1205 // longer than the receive
	CauseUntaggedVersion  Cause = 0x1206

	CauseMPAClosed Cause = 0x2001 // local only: nothing can be sent
	CauseMPACRC    Cause = 0x2002
	CauseMPAMarker Cause = 0x2003 // marker and length field disagree
	CauseMPAFrame  Cause = 0x2004 // invalid request or reply frame
	CauseMPALocal  Cause = 0x2005 // RFC 6581, as are the next two
	CauseMPAIRD    Cause = 0x2006 // insufficient IRD
	CauseMPARTR    Cause = 0x2007 // no matching RTR
)

// MakeCause puts the three numbers together.
func MakeCause(l Layer, t EType, code uint8) Cause {
	return Cause(l&0xf)<<12 | Cause(t&0xf)<<8 | Cause(code)
}

// Layer, EType and Code return the three numbers.
func (c Cause) Layer() Layer { return Layer(c >> 12) }
func (c Cause) EType() EType { return EType(c >> 8 & 0xf) }
func (c Cause) Code() uint8  { return uint8(c) }

// Known reports whether the cause is listed here.
func (c Cause) Known() bool { return c.text() != "" }

// Error makes a cause usable as an error.
func (c Cause) Error() string { return c.String() }
