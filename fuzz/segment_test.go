package fuzz_test

import (
	"bytes"
	"reflect"
	"testing"

	"github.com/godapl/godapl/internal/iwarp"
	"github.com/godapl/godapl/internal/iwarp/iwarptest"
)

// FuzzSegment: a segment that parses encodes to the same bytes, except for reserved
// bits; an error has a reaction; and either can be reported in a Terminate that quotes
// nothing but its header.
func FuzzSegment(f *testing.F) {
	most := iwarp.TaggedHeader{Op: iwarp.OpWrite, STag: 1<<32 - 1, TO: 1<<64 - 1}
	f.Add(segmentOf(iwarp.AppendTagged(nil, most, nil, true)))
	f.Add(segmentOf(iwarp.AppendImmediate(nil, 1<<32-1, 1<<64-1, true, true)))
	f.Fuzz(func(t *testing.T, b []byte) { checkSegment(t, b) })
}

func checkSegment(t tester, b []byte) {
	b = b[:min(len(b), iwarp.MaxULPDU)]
	var s iwarp.Segment
	err := iwarp.ParseSegment(b, &s)
	noAllocs(t, func() { _ = iwarp.ParseSegment(b, &s) })
	prefixes(t, b, s, err)
	if err != nil {
		if !reflect.DeepEqual(s, iwarp.Segment{}) {
			t.Fatalf("%v, and a segment: %+v", err, s)
		}
		if what, cause := err.(iwarp.ParseError).Reaction(); what == iwarp.ReactTerminate {
			reportable(t, b, cause)
		}
		return
	}
	reportable(t, b, iwarp.CauseProtAccess)
	n := iwarp.HeaderLen(b[0])
	inside(t, s.Payload, b, n)
	if s.Len != len(s.Payload) || s.Len != len(b)-n || s.Tagged != (n == iwarp.TaggedHeaderSize) || s.Tagged != s.Op.Tagged() {
		t.Fatalf("%+v", s)
	}
	want := bytes.Clone(b)
	want[0] &= 0xc3
	want[1] &= 0xcf
	same(t, segmentFPDU(&s)[iwarp.LengthSize:][:len(b)], want)
}

func segmentFPDU(s *iwarp.Segment) []byte {
	if s.Tagged {
		h := iwarp.TaggedHeader{Op: s.Op, Last: s.Last, STag: s.STag, TO: s.TO}
		return iwarp.AppendTagged(nil, h, s.Payload, true)
	}
	h := iwarp.UntaggedHeader{Op: s.Op, Last: s.Last, InvSTag: s.InvSTag, QN: s.QN, MSN: s.MSN, MO: s.MO}
	return iwarp.AppendUntagged(nil, h, s.Payload, true)
}

// prefixes: the beginning of a segment gives the same answer as all of it, as
// soon as it gives one.
func prefixes(t tester, b []byte, whole iwarp.Segment, wholeErr error) {
	for cut := range min(len(b), 64) + 1 {
		var s iwarp.Segment
		need, err := iwarp.ParseSegmentPrefix(b[:cut:cut], len(b), &s)
		switch {
		case err != nil:
			if err != wholeErr || need != 0 {
				t.Fatalf("%d of %d bytes: need %d, %v; all: %v", cut, len(b), need, err, wholeErr)
			}
		case need > 0:
			if cut+need > min(len(b), iwarp.UntaggedHeaderSize) || !reflect.DeepEqual(s, iwarp.Segment{}) {
				t.Fatalf("%d of %d bytes: need %d and %+v", cut, len(b), need, s)
			}
		case wholeErr != nil:
			t.Fatalf("%d of %d bytes: %+v; all: %v", cut, len(b), s, wholeErr)
		default:
			if !bytes.HasPrefix(whole.Payload, s.Payload) || len(s.Payload) != cut-(len(b)-whole.Len) {
				t.Fatalf("%d of %d bytes: payload %x", cut, len(b), s.Payload)
			}
			s.Payload = whole.Payload
			if !reflect.DeepEqual(s, whole) {
				t.Fatalf("%d of %d bytes: %+v; all: %+v", cut, len(b), s, whole)
			}
		}
	}
}

// reportable makes a Terminate about b and reads it.
func reportable(t tester, b []byte, cause iwarp.Cause) {
	m := iwarp.NewTerminate(cause, b, len(b))
	body := m.AppendBody(nil)
	if len(body) > 52 || len(body) > 4 && !bytes.HasPrefix(b, body[6:]) {
		t.Fatalf("Terminate with %x about %x", body, b)
	}
	var got iwarp.Terminate
	if err := iwarp.ParseTerminate(body, false, &got); err != nil || got.Cause != cause || got.SIW || got.Truncated {
		t.Fatalf("%v was sent and %v arrived, %v", cause, got.Cause, err)
	}
}

// segmentOf is the ULPDU of an FPDU.
func segmentOf(wire []byte) []byte {
	ulpdu, _, _, _ := iwarp.ParseFPDU(wire, false)
	return ulpdu
}

func seedsSegment() (all []seed) {
	for _, v := range iwarptest.FPDUs() {
		all = append(all, seed{v.Name, []any{segmentOf(v.Wire)}})
	}
	for _, v := range iwarptest.Malformed() {
		if !v.Request {
			all = append(all, seed{v.Name, []any{segmentOf(v.Wire)}})
		}
	}
	return all
}
