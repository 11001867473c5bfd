package iwarp

import "strconv"

// Control byte of RDMAP (RFC 5040, 4.1).
const (
	rdmapVersionMask = 0xc0
	rdmapVersion     = 0x40
	rdmapOpcodeMask  = 0x0f
)

// Opcode is the kind of an RDMAP message.
type Opcode uint8

const (
	OpWrite        Opcode = 0
	OpReadRequest  Opcode = 1
	OpReadResponse Opcode = 2
	OpSend         Opcode = 3
	OpSendInv      Opcode = 4 // Send with Invalidate
	OpSendSE       Opcode = 5 // Send with Solicited Event
	OpSendSEInv    Opcode = 6
	OpTerminate    Opcode = 7

	// RFC 7306. Drivers of the Linux kernel know none of these.
	OpImmediate      Opcode = 8
	OpImmediateSE    Opcode = 9
	OpAtomicRequest  Opcode = 10
	OpAtomicResponse Opcode = 11
)

// opcodeInfo describes the segments of an opcode.
type opcodeInfo struct {
	name   string // "" for the reserved ones
	tagged bool
	queue  QN
	// body is the size of a payload of fixed size; tooShort and tooLong are the errors
	// for another size. 0: any size, in any number of segments.
	body              int
	tooShort, tooLong ParseError
}

// opcodes has a row for each value of the field.
var opcodes = [rdmapOpcodeMask + 1]opcodeInfo{
	OpWrite:        {name: "RDMA Write", tagged: true},
	OpReadRequest:  {"RDMA Read Request", false, QueueRequest, ReadRequestSize, ErrReadShort, ErrReadLong},
	OpReadResponse: {name: "RDMA Read Response", tagged: true},
	OpSend:         {name: "Send"},
	OpSendInv:      {name: "Send with Invalidate"},
	OpSendSE:       {name: "Send with Solicited Event"},
	OpSendSEInv:    {name: "Send with Solicited Event and Invalidate"},
	OpTerminate:    {name: "Terminate", queue: QueueTerminate},

	OpImmediate:      {"Immediate Data", false, QueueSend, ImmediateSize, ErrImmediateSize, ErrImmediateSize},
	OpImmediateSE:    {"Immediate Data with Solicited Event", false, QueueSend, ImmediateSize, ErrImmediateSize, ErrImmediateSize},
	OpAtomicRequest:  {"Atomic Request", false, QueueRequest, AtomicRequestSize, ErrAtomicSize, ErrAtomicSize},
	OpAtomicResponse: {"Atomic Response", false, QueueAtomic, AtomicResponseSize, ErrAtomicSize, ErrAtomicSize},
}

func (op Opcode) info() *opcodeInfo { return &opcodes[op&rdmapOpcodeMask] }

func (op Opcode) String() string {
	if op > rdmapOpcodeMask || op.info().name == "" {
		return "reserved opcode " + strconv.Itoa(int(op))
	}
	return op.info().name
}

// Tagged reports whether the segments of the opcode are tagged. Queue is the queue of
// untagged ones.
func (op Opcode) Tagged() bool { return op.info().tagged }
func (op Opcode) Queue() QN    { return op.info().queue }

// Extension reports whether the opcode is defined in RFC 7306, for receivers that must
// refuse these (CauseOpUnexpected).
func (op Opcode) Extension() bool { return op >= OpImmediate && op <= OpAtomicResponse }

// Invalidates and Solicited report the two properties of Sends.
func (op Opcode) Invalidates() bool { return op == OpSendInv || op == OpSendSEInv }
func (op Opcode) Solicited() bool {
	return op == OpSendSE || op == OpSendSEInv || op == OpImmediateSE
}
