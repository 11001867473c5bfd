package iwarptest

import (
	"encoding/hex"
	"slices"
	"strings"

	"github.com/godapl/godapl/internal/iwarp"
)

// Frame is a start-up frame.
type Frame struct {
	Name, Note string
	Wire       []byte
	Reply      bool
	Frame      iwarp.Frame
}

// FPDU is a complete FPDU of a stream without markers.
type FPDU struct {
	Name, Note string
	Wire       []byte
	NoCRC      bool // its stream has none
	Segment    iwarp.Segment
	// Message is the decoded payload, for opcodes that have a body: an
	// iwarp.ReadRequest, Terminate, AtomicRequest, AtomicResponse, or the uint64 of
	// Immediate Data. Else nil.
	Message any
	// Startup: this Terminate is the peer's first FPDU.
	Startup bool
}

// Marked is the beginning of a stream with markers: whole FPDUs, all Sends.
type Marked struct {
	Name, Note string
	Wire       []byte
	Markers    []Marker
	Segments   []iwarp.Segment
}

// Marker is the position and the content of one marker.
type Marker struct {
	At  int
	Ptr uint16
}

// Bad is an input to refuse.
type Bad struct {
	Name, Note string
	Wire       []byte
	Request    bool // a request frame to a responder; else the first FPDU of a peer, with CRC
	// Err is the parsers' error. 0: they accept, and the state of the connection
	// decides.
	Err iwarp.ParseError
	// Want lists the allowed reactions of a receiver: "close", "reject" (and close),
	// "accept", or send a Terminate, given as layer/type/code, and close.
	Want []string
}

// Frames are requests and replies.
func Frames() []Frame { return slices.Concat(requests(), replies()) }

// FPDUs are one or more of each opcode.
func FPDUs() []FPDU {
	all := slices.Concat(rdma(), sends(), terminates(), extensions())
	for i := range all {
		complete(&all[i].Segment, all[i].Wire)
	}
	return all
}

// complete fills in what the tables omit: the payload, if it is given as a message, and
// its length.
func complete(s *iwarp.Segment, wire []byte) {
	if s.Payload == nil {
		ulpdu := wire[iwarp.LengthSize : len(wire)-iwarp.CRCSize]
		s.Payload = ulpdu[iwarp.HeaderLen(ulpdu[0]):]
	}
	s.Len = len(s.Payload)
}

// unhex reads hexadecimal digits in groups.
func unhex(s string) []byte {
	b, err := hex.DecodeString(strings.Join(strings.Fields(s), ""))
	if err != nil {
		panic(err)
	}
	return b
}

// ramp is n bytes that begin with first and rise by step.
func ramp(n, first, step int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(first + i*step)
	}
	return b
}
