package reference

import "slices"

// Region is memory that an adapter knows by a key.
type Region struct {
	STag  uint32
	Base  uint64
	Bytes []byte
	// Foreign: it belongs to another zone, or to another connection.
	Foreign             bool
	Read, Write, Atomic bool // remote rights
	// Window: the peer may invalidate it.
	Window bool
	dead   bool
}

// open reports whether the region has any remote right. Without one its key is unknown
// to the peer.
func (r *Region) open() bool { return r.Read || r.Write || r.Atomic }

// Receive is a posted receive. Read is a read or atomic operation that was requested of
// the peer, with the sink that the request names.
type Receive struct {
	ID   uint64
	Room []byte
}

type Read struct {
	ID     uint64
	Atomic bool
	Sink   []byte
	STag   uint32 // of an atomic operation: the request identifier
	TO     uint64
	MSN    uint32 // of the request
	off    int
}

// Done is the completion of a Receive or a Read before the connection ended.
type Done struct {
	ID  uint64
	How string // "received", "invalidated", "immediate", "read"; "too long", "refused"; "bad answer",
	// "no access", "unaccepted": the peer's Terminate said so
	Len int
	Key uint32
	Imm uint32
}

// Answer is an answer that is owed to the peer.
type Answer struct {
	Atomic bool
	STag   uint32 // or request identifier
	TO     uint64
	Size   int
	Value  uint64 // of an atomic operation
}

// Endpoint is the receiving half of a connection. The memory of its fields
// changes as the peer's bytes say.
type Endpoint struct {
	Regions  []*Region
	Receives []Receive
	Reads    []Read
	Own      bool // the peer has introduced itself, and may use RFC 7306
	// ReadySend: a responder has agreed that the initiator begins with a Send of
	// nothing, which takes no receive.
	ReadySend bool

	Done    []Done
	Answers []Answer
	Over    bool
	// Wrong are the reactions that are right, if it is over through the
	// peer's fault; a Terminate of the peer's has Close.
	Wrong []string

	in                       []byte
	met                      bool
	sends, requests, answers uint32 // so many messages have been begun
	cur                      *Receive
	op                       byte
	inv                      uint32
	off                      uint32
	tagged                   bool
	taggedOp                 byte
	written                  int
}

// Feed takes data of the stream after the start-up.
func (e *Endpoint) Feed(b []byte) {
	e.in = append(e.in, b...)
	for !e.Over {
		ulpdu, n, wrong := FPDU(e.in)
		if wrong != nil {
			e.refuse(wrong...)
			return
		}
		if n == 0 {
			return
		}
		e.segment(ulpdu)
		e.in = e.in[n:]
	}
}

// Met tells whether a whole segment has come.
func (e *Endpoint) Met() bool { return e.met }

// End tells whether the stream may end here without anything missing.
func (e *Endpoint) End() (orderly bool) {
	return len(e.in) == 0 && e.cur == nil && !e.tagged && len(e.Reads) == 0
}

func (e *Endpoint) refuse(wrong ...string) {
	e.Over = true
	e.Wrong = append(e.Wrong, wrong...)
}

func (e *Endpoint) segment(u []byte) {
	s, wrong := Parse(u)
	if wrong != nil {
		e.refuse(wrong...)
		return
	}
	if !e.met {
		e.met = true
		e.Own = s.Op == Write && len(s.Payload) == 0 && s.Last && s.TO == 0x676f6461706c0001
		if e.ReadySend && s.Op == Send && len(s.Payload) == 0 && s.Last && s.MSN == 1 && s.MO == 0 {
			e.sends++
			return
		}
	}
	if s.Op >= Immediate && !e.Own {
		e.refuse("0/2/0x06")
	}
	if s.Tagged && e.tagged && s.Op != e.taggedOp {
		e.refuse("0/2/0x06")
	}
	switch s.Op {
	case Write:
		e.write(s)
	case ReadResponse:
		e.readResponse(s)
	case ReadRequest:
		e.readRequest(s)
	case AtomicRequest:
		e.atomicRequest(s)
	case AtomicResponse:
		e.atomicResponse(s)
	case Terminate:
		e.terminated(s.Payload)
	default:
		e.message(s)
	}
}

// find finds memory and returns what is wrong with the access. The codes are those for
// an unknown key, another zone, a missing right and the bounds.
func (e *Endpoint) find(stag uint32, to uint64, n int, right func(*Region) bool, codes [4]string) []byte {
	i := slices.IndexFunc(e.Regions, func(r *Region) bool { return r.STag == stag && !r.dead })
	if i < 0 || !e.Regions[i].open() {
		e.refuse(codes[0])
		return nil
	}
	r := e.Regions[i]
	if r.Foreign {
		e.refuse(codes[1])
	}
	if !right(r) {
		e.refuse(codes[2])
	}
	if to < r.Base || to-r.Base > uint64(len(r.Bytes)) || uint64(len(r.Bytes))-(to-r.Base) < uint64(n) {
		e.refuse(codes[3])
	}
	if e.Over {
		return nil
	}
	return r.Bytes[to-r.Base:][:n]
}
