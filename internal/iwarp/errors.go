package iwarp

// Reaction is what a receiver must do about malformed input. In every case the
// connection ends, and nothing of the input may be placed or delivered.
type Reaction uint8

const (
	// ReactClose: close the connection without a Terminate.
	ReactClose Reaction = iota
	// ReactReject: send a reply frame that rejects, then close.
	ReactReject
	// ReactTerminate: send a Terminate with the cause, then close.
	ReactTerminate
)

// ParseError tells in which way data is malformed. It is one of the constants below:
// compare it, or use errors.Is.
type ParseError uint8

const (
	// Start-up frames.
	ErrKey                 ParseError = iota + 1 // not the expected frame, or not MPA
	ErrRevision                                  // neither 1 nor 2
	ErrPrivateLength                             // more than MaxPrivate bytes
	ErrRequestPrivateShort                       // no room for the enhanced block
	ErrReplyPrivateShort
	ErrDepth // IRD or ORD too large for its field; from encoders only

	// FPDUs.
	ErrULPDULength // zero
	ErrCRC
	ErrMarker

	// Segments.
	ErrSegmentShort // ends within its header
	ErrDDPVersionTagged
	ErrDDPVersionUntagged
	ErrQN
	ErrMO          // not zero in a message of one segment
	ErrMessageLong // MO and payload pass MaxMessage
	ErrTOWrap
	ErrRDMAPVersion
	ErrOpcode      // reserved
	ErrOpcodeModel // tagged where it should be untagged, or the reverse
	ErrOpcodeQueue // on the wrong queue
	ErrNotLast     // message of one segment without the Last flag

	// Message bodies.
	ErrReadLong
	ErrReadShort
	ErrReadWrap       // source TO and size
	ErrTerminateShape // QN, MSN, MO or Last flag; never answered with a Terminate
	ErrTerminateShort
	ErrImmediateSize
	ErrAtomicSize
	ErrAtomicOp
	ErrAtomicAlign
)

// Reaction returns what to do, and the cause if that is ReactTerminate.
func (e ParseError) Reaction() (Reaction, Cause) {
	r := e.row()
	return r.reaction, r.cause
}

func (e ParseError) Error() string { return "iwarp: " + e.row().text }

type errorRow struct {
	text     string
	reaction Reaction
	cause    Cause
}

func (e ParseError) row() *errorRow {
	if int(e) >= len(errorRows) {
		e = 0
	}
	return &errorRows[e]
}

var errorRows = [...]errorRow{
	0:                      {"no error", ReactClose, 0},
	ErrKey:                 {"not the MPA frame that is due", ReactClose, 0},
	ErrRevision:            {"MPA revision is neither 1 nor 2", ReactClose, 0},
	ErrPrivateLength:       {"more private data than MPA allows", ReactClose, 0},
	ErrRequestPrivateShort: {"MPA request ends within its enhanced block", ReactReject, 0},
	ErrReplyPrivateShort:   {"MPA reply ends within its enhanced block", ReactClose, 0},
	ErrDepth:               {"IRD or ORD does not fit into 14 bits", ReactClose, 0},
	ErrULPDULength:         {"ULPDU length is zero", ReactTerminate, CauseMPAMarker},
	ErrCRC:                 {"CRC mismatch", ReactTerminate, CauseMPACRC},
	ErrMarker:              {"marker disagrees with the length field", ReactTerminate, CauseMPAMarker},
	ErrSegmentShort:        {"segment ends within its header", ReactTerminate, CauseDDPLocal},
	ErrDDPVersionTagged:    {"DDP version of a tagged segment is not 1", ReactTerminate, CauseTaggedVersion},
	ErrDDPVersionUntagged:  {"DDP version of an untagged segment is not 1", ReactTerminate, CauseUntaggedVersion},
	ErrQN:                  {"no such queue number", ReactTerminate, CauseUntaggedQN},
	ErrMO:                  {"message offset of a message of one segment is not 0", ReactTerminate, CauseUntaggedMO},
	ErrMessageLong:         {"message is longer than 32 bits can count", ReactTerminate, CauseUntaggedLong},
	ErrTOWrap:              {"tagged offset wraps", ReactTerminate, CauseTaggedWrap},
	ErrRDMAPVersion:        {"RDMAP version is not 1", ReactTerminate, CauseOpVersion},
	ErrOpcode:              {"reserved RDMAP opcode", ReactTerminate, CauseOpUnexpected},
	ErrOpcodeModel:         {"RDMAP opcode does not fit the tagged flag", ReactTerminate, CauseOpUnexpected},
	ErrOpcodeQueue:         {"RDMAP opcode does not fit the queue number", ReactTerminate, CauseOpUnexpected},
	ErrNotLast:             {"message of one segment lacks the last flag", ReactTerminate, CauseOpUnexpected},
	ErrReadLong:            {"Read Request is longer than 28 bytes", ReactTerminate, CauseUntaggedLong},
	ErrReadShort:           {"Read Request is shorter than 28 bytes", ReactTerminate, CauseRDMAPLocal},
	ErrReadWrap:            {"Read Request's source offset wraps", ReactTerminate, CauseProtWrap},
	ErrTerminateShape:      {"malformed Terminate: queue, sequence, offset or last flag", ReactClose, 0},
	ErrTerminateShort:      {"Terminate is shorter than 4 bytes", ReactClose, 0},
	ErrImmediateSize:       {"Immediate Data is not 8 bytes", ReactTerminate, CauseOpUnexpected},
	ErrAtomicSize:          {"atomic message has the wrong size", ReactTerminate, CauseOpUnexpected},
	ErrAtomicOp:            {"unknown atomic operation", ReactTerminate, CauseOpUnexpected},
	ErrAtomicAlign:         {"atomic offset is not a multiple of 8", ReactTerminate, CauseOpStream},
}
