package iwarp

import "encoding/binary"

// About is the request that a Terminate says it is about: a Read Request or an Atomic
// Request, by the header that the Terminate includes. It reports false if it includes
// none, or that of something else, or if the cause is no fault of one segment. What it
// says is the peer's word: the caller compares it with what it has asked for.
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
