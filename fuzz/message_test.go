package fuzz_test

import (
	"bytes"
	"math/bits"
	"testing"

	"github.com/godapl/godapl/internal/iwarp"
	"github.com/godapl/godapl/internal/iwarp/iwarptest"
)

// FuzzReadRequest: a body that parses encodes to the same bytes, and its
// source does not wrap.
func FuzzReadRequest(f *testing.F) {
	f.Add(segmentOf(iwarp.AppendReadRequest(nil, 1, iwarp.ReadRequest{Size: 1 << 31, SourceTO: 1 << 63}, true))[18:])
	f.Fuzz(func(t *testing.T, b []byte) { checkReadRequest(t, b) })
}

func checkReadRequest(t tester, b []byte) {
	var r iwarp.ReadRequest
	err := iwarp.ParseReadRequest(b, &r)
	noAllocs(t, func() { _ = iwarp.ParseReadRequest(b, &r) })
	if err != nil {
		if r != (iwarp.ReadRequest{}) || len(b) == iwarp.ReadRequestSize && err != iwarp.ErrReadWrap {
			t.Fatalf("%v and %+v", err, r)
		}
		return
	}
	if _, carry := bits.Add64(uint64(r.SourceTO), uint64(r.Size), 0); carry != 0 {
		t.Fatalf("source wraps: %+v", r)
	}
	same(t, payloadOf(t, iwarp.AppendReadRequest(nil, 7, r, true), iwarp.OpReadRequest, 7), b)
}

// FuzzAtomic: a request or response that parses encodes to the same bytes, except for
// reserved bits; and applying the request changes only what the masks allow.
func FuzzAtomic(f *testing.F) {
	fields := iwarp.AtomicRequest{Operand: 0x0101010101010101, Mask: 0x8080808080808080, TO: 8}
	f.Add(segmentOf(iwarp.AppendAtomicRequest(nil, 1, &fields, true))[18:], uint64(0xff7f00ff80fefe00))
	some := iwarp.AtomicRequest{Op: iwarp.AtomicCompareSwap, Compare: 0xf7, CompareMask: 0xf, Operand: 9, Mask: 0xff}
	f.Add(segmentOf(iwarp.AppendAtomicRequest(nil, 1, &some, true))[18:], uint64(7))
	some.TO = 4
	f.Add(segmentOf(iwarp.AppendAtomicRequest(nil, 1, &some, true))[18:], uint64(7))
	f.Fuzz(func(t *testing.T, b []byte, old uint64) { checkAtomic(t, b, old) })
}

func checkAtomic(t tester, b []byte, old uint64) {
	var r iwarp.AtomicRequest
	var p iwarp.AtomicResponse
	err := iwarp.ParseAtomicRequest(b, &r)
	errResponse := iwarp.ParseAtomicResponse(b, &p)
	noAllocs(t, func() {
		_ = iwarp.ParseAtomicRequest(b, &r)
		_ = iwarp.ParseAtomicResponse(b, &p)
	})
	if err != nil && r != (iwarp.AtomicRequest{}) || errResponse != nil && p != (iwarp.AtomicResponse{}) {
		t.Fatalf("%v and %+v; %v and %+v", err, r, errResponse, p)
	}
	if err == nil && errResponse == nil {
		t.Fatal("both a request and a response")
	}
	if errResponse == nil {
		same(t, payloadOf(t, iwarp.AppendAtomicResponse(nil, 7, p, true), iwarp.OpAtomicResponse, 7), b)
	}
	if err != nil {
		return
	}
	want := bytes.Clone(b)
	want[0], want[1], want[2], want[3] = 0, 0, 0, want[3]&0xf
	same(t, payloadOf(t, iwarp.AppendAtomicRequest(nil, 7, &r, true), iwarp.OpAtomicRequest, 7), want)
	if r.TO%8 != 0 {
		t.Fatalf("%+v", r)
	}
	if got, want := r.Apply(old), applyBitwise(&r, old); got != want {
		t.Fatalf("%+v on %#x gives %#x, want %#x", r, old, got, want)
	}
}

// applyBitwise is the operation bit by bit, as it is defined.
func applyBitwise(r *iwarp.AtomicRequest, old uint64) uint64 {
	bit := func(v uint64, i int) uint64 { return v >> i & 1 }
	var sum, swapped, carry uint64
	match := true
	for i := range 64 {
		s := bit(old, i) + bit(r.Operand, i) + carry
		sum |= s & 1 << i
		carry = s >> 1 &^ bit(r.Mask, i)
		match = match && (bit(r.CompareMask, i) == 0 || bit(old, i) == bit(r.Compare, i))
		from := old
		if bit(r.Mask, i) == 1 {
			from = r.Operand
		}
		swapped |= bit(from, i) << i
	}
	switch {
	case r.Op == iwarp.AtomicFetchAdd:
		return sum
	case match:
		return swapped
	}
	return old
}

// payloadOf takes a message of one segment apart again.
func payloadOf(t tester, fpdu []byte, op iwarp.Opcode, msn iwarp.MSN) []byte {
	t.Helper()
	ulpdu, used, _, err := iwarp.ParseFPDU(fpdu, true)
	var s iwarp.Segment
	if err == nil {
		err = iwarp.ParseSegment(ulpdu, &s)
	}
	if err != nil || used != len(fpdu) || s.Op != op || s.MSN != msn {
		t.Fatalf("used %d of %d, %v, %+v", used, len(fpdu), err, s)
	}
	return s.Payload
}

func seedsReadRequest() []seed {
	return bodies(func(op iwarp.Opcode) bool { return op == iwarp.OpReadRequest })
}

func seedsAtomic() (all []seed) {
	for _, s := range bodies(func(op iwarp.Opcode) bool { return op == iwarp.OpAtomicRequest || op == iwarp.OpAtomicResponse }) {
		all = append(all, seed{s.name, append(s.args, uint64(41))})
	}
	return all
}

// bodies are the payloads of golden and malformed messages of some opcodes.
func bodies(of func(iwarp.Opcode) bool) (all []seed) {
	for _, v := range iwarptest.FPDUs() {
		if of(v.Segment.Op) {
			all = append(all, seed{v.Name, []any{v.Segment.Payload}})
		}
	}
	for _, v := range iwarptest.Malformed() {
		if u := segmentOf(v.Wire); !v.Request && len(u) > iwarp.UntaggedHeaderSize && of(iwarp.Opcode(u[1]&0xf)) {
			all = append(all, seed{v.Name, []any{u[iwarp.UntaggedHeaderSize:]}})
		}
	}
	return all
}
