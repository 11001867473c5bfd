package fuzz_test

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"github.com/godapl/godapl/fuzz/reference"
	"github.com/godapl/godapl/internal/iwarp"
)

// FuzzDecoders: internal/iwarp and the reference, which was written independently from
// the standards, agree on any data. If one refuses data, so does the other, and the
// reaction is among those that the reference allows.
func FuzzDecoders(f *testing.F) {
	f.Add(slices.Concat(iwarp.AppendImmediate(nil, 1, 2, true, true), iwarp.AppendReadRequest(nil, 1, iwarp.ReadRequest{}, true)), false)
	f.Add([]byte{0x41, 0x43}, true)
	f.Fuzz(func(t *testing.T, b []byte, seal bool) { checkDecoders(t, b, seal) })
}

func checkDecoders(t tester, b []byte, seal bool) {
	if seal { // past the sum, to where it matters
		if len(b) == 0 || len(b) > iwarp.MaxULPDU {
			return
		}
		b = reference.Seal(b)
	}
	for len(b) > 0 {
		ulpdu, used, _, err := iwarp.ParseFPDU(b, true)
		other, n, wrong := reference.FPDU(b)
		if used != n || !bytes.Equal(ulpdu, other) || (err != nil) != (wrong != nil) {
			t.Fatalf("%x: %d bytes, %v; the reference has %d, %v", b, used, err, n, wrong)
		}
		if err != nil {
			agree(t, err, wrong)
		}
		if used == 0 {
			return
		}
		decode(t, ulpdu)
		b = b[used:]
	}
}

func decode(t tester, ulpdu []byte) {
	var s iwarp.Segment
	err := iwarp.ParseSegment(ulpdu, &s)
	r, wrong := reference.Parse(ulpdu)
	if (err != nil) != (wrong != nil) {
		t.Fatalf("%x: %v; the reference: %v", ulpdu, err, wrong)
	}
	if err != nil {
		agree(t, err, wrong)
		return
	}
	same := s.Tagged == r.Tagged && s.Last == r.Last && byte(s.Op) == r.Op && bytes.Equal(s.Payload, r.Payload)
	if s.Tagged {
		same = same && uint32(s.STag) == r.STag && uint64(s.TO) == r.TO
	} else {
		same = same && uint32(s.InvSTag) == r.STag && uint32(s.QN) == r.QN && uint32(s.MSN) == r.MSN && uint32(s.MO) == r.MO
	}
	if !same {
		t.Fatalf("%x: %+v; the reference: %+v", ulpdu, s, r)
	}
}

func agree(t tester, err error, wrong []string) {
	t.Helper()
	says := reference.Close
	if what, cause := err.(iwarp.ParseError).Reaction(); what == iwarp.ReactTerminate {
		says = fmt.Sprintf("%d/%d/0x%02x", cause.Layer(), cause.EType(), cause.Code())
	}
	if !slices.Contains(wrong, says) {
		t.Fatalf("%v: %s; the reference: %v", err, says, wrong)
	}
}

func seedsDecoders() (all []seed) {
	for _, s := range seedsFPDU() {
		all = append(all, seed{s.name, []any{s.args[0], false}})
	}
	for _, s := range seedsSegment() {
		all = append(all, seed{"sealed_" + s.name, []any{s.args[0], true}})
	}
	return all
}
