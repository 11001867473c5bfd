// Package iwarp is the wire format of iWARP: MPA (RFC 5044, RFC 6581), DDP (RFC 5041),
// RDMAP (RFC 5040) and its extensions (RFC 7306). It consists of pure functions over
// bytes: no input or output, no clock, no goroutine, no state.
//
// # From the bottom up
//
//	start-up   [ParseRequest] [ParseReply] [AppendRequest] [AppendReply]
//	FPDU       [ParseFPDU] [FinishFPDU] [AppendTrailer] [CheckTrailer] [FPDULen] [MULPDU]
//	markers    [ParseMarked] [AppendMarked] [MarkedLen]
//	segment    [ParseSegment] [ParseSegmentPrefix] [AppendTagged] [AppendUntagged]
//	messages   [ParseReadRequest] [ParseTerminate] [ParseAtomicRequest] [ParseAtomicResponse] [ParseImmediate]
//
// A receiver calls [ParseFPDU] on the data from the socket, [ParseSegment] on each
// ULPDU, and for a few opcodes the parser of the message. A sender of small messages
// calls [AppendTagged] or [AppendUntagged], which make a whole FPDU. A sender with a
// large payload elsewhere in memory writes the header, sums header and payload with
// [UpdateCRC], and ends with [AppendTrailer].
//
// # Conventions
//
// Parsers of a stream return (used, need, err), of which exactly one is not zero: the
// number of bytes that the value took, or the number of bytes that are missing at
// least, or the reason why the data is invalid. Invalid data stays invalid when more
// bytes follow. The other parsers take exactly their bytes. Slices in results share the
// input's memory. A target passed by pointer is written only on success.
//
// Encoders append to the caller's slice and return it, as append does. They write
// reserved bits and pad as zero; parsers ignore both.
//
// Nothing here allocates, except when appending exceeds a slice's capacity. All
// functions may run concurrently on different memory.
//
// # Errors
//
// A parser's error is a [ParseError], a constant that can be compared; its
// [ParseError.Reaction] is what a receiver must do about it. The reasons that travel in
// a Terminate message are [Cause] values. They are errors too, for the checks that need
// the state of a connection: expected MSN and MO, posted receives, STags, depth of the
// read queue. A parser returns one error per segment: if the segment breaks several
// rules, the order of the checks is not specified.
package iwarp
