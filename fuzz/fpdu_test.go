package fuzz_test

import (
	"testing"

	"github.com/godapl/godapl/internal/iwarp"
	"github.com/godapl/godapl/internal/iwarp/iwarptest"
)

// FuzzFPDU: an FPDU that parses encodes to the same bytes, but for pad and the
// CRC over it.
func FuzzFPDU(f *testing.F) {
	two := iwarp.AppendReadRequest(nil, 1, iwarp.ReadRequest{}, true)
	f.Add(iwarp.AppendAtomicResponse(two, 1, iwarp.AtomicResponse{}, true), true)
	f.Fuzz(func(t *testing.T, b []byte, crc bool) { checkFPDU(t, b, crc) })
}

func checkFPDU(t tester, b []byte, crc bool) {
	var ulpdu []byte
	o := monotonic(t, b, func(b []byte) outcome {
		var o outcome
		ulpdu, o.used, o.need, o.err = iwarp.ParseFPDU(b, crc)
		if (ulpdu != nil) != (o.used != 0) {
			t.Fatalf("%+v and a ULPDU of %d bytes", o, len(ulpdu))
		}
		return o
	})
	noAllocs(t, func() { _, _, _, _ = iwarp.ParseFPDU(b, crc) })
	if o.used == 0 {
		return
	}
	inside(t, ulpdu, b, iwarp.LengthSize)
	if len(ulpdu) == 0 || o.used != iwarp.FPDULen(len(ulpdu)) || o.used%4 != 0 {
		t.Fatalf("used %d for %d bytes", o.used, len(ulpdu))
	}
	end := iwarp.LengthSize + len(ulpdu)
	if crc {
		if err := iwarp.CheckTrailer(b[end:o.used], len(ulpdu), iwarp.CRC(b[:end])); err != nil {
			t.Fatalf("whole it is good, in pieces: %v", err)
		}
	}
	got := iwarp.FinishFPDU(append([]byte{0xff, 0xff}, ulpdu...), 0, crc)
	same(t, got[:end], b[:end])
	if len(got) != o.used {
		t.Fatalf("encoded %d bytes, parsed %d", len(got), o.used)
	}
	again, used, _, err := iwarp.ParseFPDU(got, crc)
	if err != nil || used != len(got) {
		t.Fatalf("what was encoded: used %d, %v", used, err)
	}
	same(t, again, ulpdu)
	same(t, iwarp.AppendTrailer(got[:end:end], len(ulpdu), iwarp.CRC(got[:end]), crc), got)
}

func seedsFPDU() (all []seed) {
	for _, v := range iwarptest.FPDUs() {
		all = append(all, seed{v.Name, []any{v.Wire, !v.NoCRC}})
	}
	for _, v := range iwarptest.Malformed() {
		if !v.Request {
			all = append(all, seed{v.Name, []any{v.Wire, true}})
		}
	}
	return all
}
