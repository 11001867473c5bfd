package fuzz_test

import (
	"bytes"
	"testing"

	"github.com/godapl/godapl/internal/iwarp"
	"github.com/godapl/godapl/internal/iwarp/iwarptest"
)

// FuzzTerminate: any input has a cause; input in the form of the RFC encodes to the
// same bytes, except for reserved bits and trailing bytes.
func FuzzTerminate(f *testing.F) {
	m := iwarp.NewTerminate(iwarp.CauseProtSTag, segmentOf(iwarp.AppendReadRequest(nil, 1, iwarp.ReadRequest{Size: 1}, true)), 46)
	f.Add(m.AppendBody(nil), false)
	f.Add(m.AppendBody(nil)[:20], true)
	f.Fuzz(func(t *testing.T, b []byte, startup bool) { checkTerminate(t, b, startup) })
}

func checkTerminate(t tester, b []byte, startup bool) {
	var m iwarp.Terminate
	err := iwarp.ParseTerminate(b, startup, &m)
	noAllocs(t, func() { _ = iwarp.ParseTerminate(b, startup, &m) })
	if (err != nil) != (len(b) < iwarp.TerminateSize) {
		t.Fatalf("%d bytes: %v", len(b), err)
	}
	if err != nil {
		if m.Cause != 0 || m.DDP != nil || m.ReadRequest != nil || m.Truncated || m.SIW {
			t.Fatalf("%v, and %+v", err, m)
		}
		return
	}
	parts := iwarp.TerminateSize
	if m.HasLength || m.DDP != nil {
		parts += 2
	}
	inside(t, m.DDP, b, parts)
	inside(t, m.ReadRequest, b, parts+len(m.DDP))
	if !bytes.Equal(m.Raw[:], b[:4]) || m.Cause.Code() != b[1] {
		t.Fatalf("%x gave %+v", b[:4], m)
	}
	high, low := b[0]>>4, b[0]&0xf
	if m.SIW {
		high, low = low, high
	}
	if m.Cause.Layer() != iwarp.Layer(high) || m.Cause.EType() != iwarp.EType(low) {
		t.Fatalf("%x gave %v, siw %v", b[:4], m.Cause, m.SIW)
	}
	if m.String() == "" || len(m.DDP) != 0 && len(m.DDP) != iwarp.HeaderLen(m.DDP[0]) {
		t.Fatalf("%+v", m)
	}
	cutAnywhere(t, b, startup, &m)
	if m.SIW || m.Truncated {
		return
	}
	got := m.AppendBody(nil)
	if len(got) > len(b) {
		t.Fatalf("%d bytes became %d", len(b), len(got))
	}
	want := bytes.Clone(b[:len(got)])
	want[2], want[3] = want[2]&0xe0, 0
	same(t, got, want)
}

// cutAnywhere: a truncated Terminate has the same cause.
func cutAnywhere(t tester, b []byte, startup bool, whole *iwarp.Terminate) {
	for n := iwarp.TerminateSize; n < min(len(b), 64); n++ {
		var part iwarp.Terminate
		err := iwarp.ParseTerminate(b[:n:n], startup, &part)
		if err != nil || part.Cause != whole.Cause || part.SIW != whole.SIW || whole.Truncated && !part.Truncated {
			t.Fatalf("%d of %d bytes: %+v, %v; all: %+v", n, len(b), part, err, whole)
		}
	}
}

func seedsTerminate() (all []seed) {
	for _, v := range iwarptest.FPDUs() {
		if v.Segment.Op == iwarp.OpTerminate {
			all = append(all, seed{v.Name, []any{v.Segment.Payload, v.Startup}})
		}
	}
	return all
}
