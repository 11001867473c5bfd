package iwarp

import "encoding/binary"

// About returns the request that a Terminate refers to: a Read Request or an Atomic
// Request, from the header that the Terminate includes. It returns false if there is no
// such header or if the cause is not the fault of one segment. The header is the peer's
// claim: the caller compares it with its outstanding requests.
func (t *Terminate) About() (op Opcode, msn MSN, ok bool) {
	h := t.DDP
	if !t.Cause.quotes() || len(h) != UntaggedHeaderSize || h[0]&ddpVersionMask != ddpVersion || h[1]&rdmapVersionMask != rdmapVersion {
		return 0, 0, false
	}
	op = Opcode(h[1] & rdmapOpcodeMask)
	if op != OpReadRequest && op != OpAtomicRequest || binary.BigEndian.Uint32(h[6:]) != uint32(QueueRequest) {
		return 0, 0, false
	}
	return op, MSN(binary.BigEndian.Uint32(h[10:])), true
}
