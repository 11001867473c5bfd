package fuzz_test

import (
	"encoding/binary"
	"testing"

	"github.com/godapl/godapl/internal/iwarp"
	"github.com/godapl/godapl/internal/iwarp/iwarptest"
)

// FuzzMarkers: parsing a stream with markers gives the same as parsing it after the
// markers are removed; any ULPDU survives the insertion of markers.
func FuzzMarkers(f *testing.F) {
	send := iwarp.UntaggedHeader{Op: iwarp.OpSend, MSN: 1}
	long := iwarp.AppendUntagged(nil, send, make([]byte, 1100), false)
	short := iwarp.AppendUntagged(nil, send, []byte("hello"), true)
	f.Add(make([]byte, 502), uint16(0), true) // ends where the next marker is due
	for _, place := range []uint16{0, 1, 64, 127} {
		f.Add(iwarp.AppendMarked(nil, uint64(place)*4, long, false), place, false)
		f.Add(iwarp.AppendMarked(nil, uint64(place)*4, short, true), place, true)
	}
	f.Fuzz(func(t *testing.T, b []byte, place uint16, crc bool) { checkMarkers(t, b, place, crc) })
}

func checkMarkers(t tester, b []byte, place uint16, crc bool) {
	offset := uint64(place) * 4
	var ulpdu []byte
	room := make([]byte, 0, len(b))
	o := monotonic(t, b, func(b []byte) outcome {
		var o outcome
		ulpdu, o.used, o.need, o.err = iwarp.ParseMarked(room, b, offset, crc)
		if (ulpdu != nil) != (o.used != 0) {
			t.Fatalf("%+v and a ULPDU of %d bytes", o, len(ulpdu))
		}
		return o
	})
	noAllocs(t, func() { _, _, _, _ = iwarp.ParseMarked(room, b, offset, crc) })
	if o.used != 0 {
		plain := strip(t, b[:o.used], offset)
		same(t, plain[iwarp.LengthSize:][:len(ulpdu)], ulpdu)
		if len(plain) != iwarp.FPDULen(len(ulpdu)) || int(binary.BigEndian.Uint16(plain)) != len(ulpdu) {
			t.Fatalf("%d bytes without markers, for a ULPDU of %d", len(plain), len(ulpdu))
		}
	}
	if len(b) > 0 && len(b) <= iwarp.MaxMarkedULPDU {
		survives(t, b, offset, crc)
	}
}

func survives(t tester, ulpdu []byte, offset uint64, crc bool) {
	fpdu := iwarp.FinishFPDU(append([]byte{0, 0}, ulpdu...), 0, crc)
	marked := iwarp.AppendMarked(nil, offset, fpdu, crc)
	if n := iwarp.MarkedLen(offset, len(fpdu)); n != len(marked) {
		t.Fatalf("MarkedLen is %d, and %d bytes were made", n, len(marked))
	}
	end := len(fpdu) - iwarp.CRCSize
	same(t, strip(t, marked, offset)[:end], fpdu[:end])
	got, used, _, err := iwarp.ParseMarked(nil, marked, offset, crc)
	if err != nil || used != len(marked) {
		t.Fatalf("used %d of %d, %v", used, len(marked), err)
	}
	same(t, got, ulpdu)
}

// strip removes the markers and checks their content.
func strip(t tester, b []byte, offset uint64) (plain []byte) {
	t.Helper()
	length := 0
	if offset%512 == 0 {
		length = 4
	}
	from := 0
	for at := int(-offset % 512); at < len(b); at += 512 {
		want := max(0, at-length)
		if got := int(binary.BigEndian.Uint16(b[at+2:])); got != want&0xffff {
			t.Fatalf("the marker at %d says %d, want %d", at, got, want)
		}
		plain = append(plain, b[from:at]...)
		from = at + 4
	}
	return append(plain, b[from:]...)
}

func seedsMarkers() (all []seed) {
	for _, v := range iwarptest.MarkedStreams() {
		all = append(all, seed{v.Name, []any{v.Wire, uint16(0), true}})
	}
	for _, v := range iwarptest.FPDUs() {
		if v.Name == "send_5" || v.Name == "read_resp" {
			all = append(all, seed{v.Name, []any{v.Wire, uint16(127), true}})
		}
	}
	return all
}
