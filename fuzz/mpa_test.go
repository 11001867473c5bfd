package fuzz_test

import (
	"bytes"
	"testing"

	"github.com/godapl/godapl/internal/iwarp"
	"github.com/godapl/godapl/internal/iwarp/iwarptest"
)

// FuzzMPA: a start-up frame that parses encodes to the same bytes, but for
// reserved flags.
func FuzzMPA(f *testing.F) {
	all := iwarp.Frame{
		Revision: 2, Markers: true, CRC: true, Reject: true, Enhanced: true, PeerToPeer: true,
		RTR: iwarp.RTRSend | iwarp.RTRWrite | iwarp.RTRRead, IRD: iwarp.NotNegotiated, ORD: iwarp.NotNegotiated,
	}
	request, _ := iwarp.AppendRequest(nil, &all)
	f.Add(request, false)
	reply, _ := iwarp.AppendReply(nil, &all)
	f.Add(reply, true)
	f.Fuzz(func(t *testing.T, b []byte, reply bool) { checkMPA(t, b, reply) })
}

func checkMPA(t tester, b []byte, reply bool) {
	parse, encode := iwarp.ParseRequest, iwarp.AppendRequest
	if reply {
		parse, encode = iwarp.ParseReply, iwarp.AppendReply
	}
	var v iwarp.Frame
	o := monotonic(t, b, func(b []byte) outcome {
		v = iwarp.Frame{}
		used, need, err := parse(b, &v)
		if used == 0 && (v.Revision != 0 || v.Private != nil) {
			t.Fatalf("need %d, %v, and a frame: %+v", need, err, v)
		}
		return outcome{used, need, err}
	})
	noAllocs(t, func() { _, _, _ = parse(b, &v) })
	if o.used == 0 {
		return
	}
	inside(t, v.Private, b, o.used-len(v.Private))
	if len(v.Private) > iwarp.MaxPrivate || !v.Enhanced && (v.IRD|v.ORD != 0 || v.RTR != 0 || v.PeerToPeer) {
		t.Fatalf("%+v", v)
	}
	got, err := encode(nil, &v)
	if err != nil {
		t.Fatalf("%+v parses but cannot be sent: %v", v, err)
	}
	same(t, got, canonicalFrame(b[:o.used], reply))
}

// canonicalFrame clears the flags that mean nothing in such a frame.
func canonicalFrame(b []byte, reply bool) []byte {
	b = bytes.Clone(b)
	mask := byte(0xc0) // markers, CRC
	if reply {
		mask |= 0x20
	}
	if b[17] == 2 {
		mask |= 0x10
	}
	b[16] &= mask
	return b
}

func seedsMPA() (all []seed) {
	for _, v := range iwarptest.Frames() {
		all = append(all, seed{v.Name, []any{v.Wire, v.Reply}})
	}
	for _, v := range iwarptest.Malformed() {
		if v.Request {
			all = append(all, seed{v.Name, []any{v.Wire, false}})
		}
	}
	return all
}
