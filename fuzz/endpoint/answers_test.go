package endpoint_test

import (
	"encoding/binary"
	"slices"

	"github.com/godapl/godapl/fuzz/reference"
)

// answered reports whether all owed answers have arrived.
func (r *rig) answered(data []byte) bool {
	n := 0
	for _, s := range r.segments(data) {
		if s.Op == reference.AtomicResponse || s.Op == reference.ReadResponse && s.Last {
			n++
		}
	}
	return n >= len(r.ref.Answers)
}

// sent checks what the endpoint has sent: the answers that the reference owes, and at
// the end perhaps a Terminate.
func (r *rig) sent(data []byte) {
	owed := slices.Clone(r.ref.Answers)
	at, said := 0, reference.Close
	for _, s := range r.segments(data) {
		switch {
		case said != reference.Close:
			r.t.Fatalf("behind the Terminate came %+v", s)
		case s.Op == reference.Terminate:
			said = reaction(s.Payload)
		case len(owed) == 0:
			r.t.Fatalf("nobody asked for %+v", s)
		case owed[0].Atomic:
			a := owed[0]
			if s.Op != reference.AtomicResponse || binary.BigEndian.Uint32(s.Payload) != a.STag || binary.BigEndian.Uint64(s.Payload[4:]) != a.Value {
				r.t.Fatalf("%+v was answered with %+v", a, s)
			}
			owed = owed[1:]
		default:
			a := owed[0]
			if s.Op != reference.ReadResponse || s.STag != a.STag || s.TO != a.TO+uint64(at) || at+len(s.Payload) > a.Size {
				r.t.Fatalf("%+v was answered with %+v at %d", a, s, at)
			}
			at += len(s.Payload)
			if s.Last != (at == a.Size) {
				r.t.Fatalf("%+v: %d bytes, last %v", a, at, s.Last)
			}
			if s.Last {
				owed, at = owed[1:], 0
			}
		}
	}
	switch {
	case !r.ref.Over && (said != reference.Close || len(owed) > 0):
		r.t.Fatalf("%d answers are missing, and ours said %s", len(owed), said)
	case r.ref.Over && !slices.Contains(r.ref.Wrong, said):
		r.t.Fatalf("ours said %s, want one of %v", said, r.ref.Wrong)
	}
}
