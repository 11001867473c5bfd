package iwarp_test

import (
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/godapl/godapl/internal/iwarp"
	"github.com/godapl/godapl/internal/iwarp/iwarptest"
)

func TestMarkerVectors(t *testing.T) {
	for _, v := range iwarptest.MarkedStreams() {
		t.Run(v.Name, func(t *testing.T) {
			for _, m := range v.Markers {
				if got := binary.BigEndian.Uint32(v.Wire[m.At:]); got != uint32(m.Ptr) {
					t.Fatalf("marker at %d is %08x", m.At, got)
				}
			}
			offset, made := 0, []byte("before")
			for _, want := range v.Segments {
				want.Len = len(want.Payload)
				ulpdu, used, need, err := iwarp.ParseMarked([]byte("dst"), v.Wire[offset:], uint64(offset), true)
				if err != nil || need != 0 || string(ulpdu[:3]) != "dst" {
					t.Fatalf("at %d: used %d, need %d, %v", offset, used, need, err)
				}
				var s iwarp.Segment
				if err := iwarp.ParseSegment(ulpdu[3:], &s); err != nil {
					t.Fatal(err)
				}
				equal(t, s, want)
				made = iwarp.AppendMarked(made, uint64(offset), encode(&want, true), true)
				offset += used
				if len(made) != 6+offset {
					t.Errorf("made %d bytes, want %d", len(made)-6, offset)
				}
			}
			if offset != len(v.Wire) || !bytes.Equal(made[6:], v.Wire) {
				t.Errorf("used %d of %d; made %x", offset, len(v.Wire), made)
			}
		})
	}
}

// markByteByByte implements the rule literally: at every offset of the stream, insert a
// marker if one is due, and remember where the length field is.
func markByteByByte(offset uint64, fpdu []byte) []byte {
	var out []byte
	length := -1
	for i, o := range fpdu {
		if (offset+uint64(len(out)))%512 == 0 {
			ptr := 0
			if length >= 0 {
				ptr = len(out) - length
			}
			out = append(out, 0, 0, byte(ptr>>8), byte(ptr))
		}
		if i == 0 {
			length = len(out)
		}
		if i == len(fpdu)-4 {
			return summed(out)
		}
		out = append(out, o)
	}
	return nil
}

func TestMarkersByteByByte(t *testing.T) {
	payload := make([]byte, iwarp.MaxMarkedULPDU-18)
	for i := range payload {
		payload[i] = byte(i * 7)
	}
	sizes := []int{0, 1, 2, 3, 4, 100, 470, 480, 484, 488, 492, 500, 508, 512, 1000, 1500, 5000, len(payload)}
	for offset := uint64(1 << 20); offset < 1<<20+512; offset += 4 {
		for _, n := range sizes {
			if n > 5000 && offset%64 != 0 {
				continue
			}
			fpdu := iwarp.AppendUntagged(nil, iwarp.UntaggedHeader{Op: iwarp.OpSend, Last: true, MSN: 1}, payload[:n], false)
			want := markByteByByte(offset, fpdu)
			got := iwarp.AppendMarked(nil, offset, fpdu, true)
			if !bytes.Equal(got, want) {
				t.Fatalf("offset %d, payload of %d: %d bytes differ from %d that are right", offset%512, n, len(got), len(want))
			}
			if l := iwarp.MarkedLen(offset, len(fpdu)); l != len(want) {
				t.Fatalf("offset %d, payload of %d: MarkedLen %d, want %d", offset%512, n, l, len(want))
			}
			ulpdu, used, _, err := iwarp.ParseMarked(nil, got, offset, true)
			if err != nil || used != len(got) || !bytes.Equal(ulpdu, fpdu[2:20+n]) {
				t.Fatalf("offset %d, payload of %d: used %d of %d, %v", offset%512, n, used, len(got), err)
			}
			for _, cut := range []int{0, 1, 2, 3, 5, len(got) / 2, len(got) - 1} {
				_, used, need, err := iwarp.ParseMarked(nil, got[:cut], offset, true)
				if used != 0 || err != nil || need <= 0 || need > len(got)-cut {
					t.Fatalf("offset %d, payload of %d, cut at %d: used %d, need %d, %v", offset%512, n, cut, used, need, err)
				}
			}
		}
	}
}

func TestMarkersWithoutCRC(t *testing.T) {
	fpdu := iwarp.AppendUntagged(nil, iwarp.UntaggedHeader{Op: iwarp.OpSend, Last: true, MSN: 1}, make([]byte, 600), true)
	b := iwarp.AppendMarked(nil, 0, fpdu, false)
	if binary.BigEndian.Uint32(b[len(b)-4:]) != 0 {
		t.Errorf("CRC field %x", b[len(b)-4:])
	}
	if ulpdu, used, _, err := iwarp.ParseMarked(nil, b, 0, false); err != nil || used != len(b) || len(ulpdu) != 618 {
		t.Errorf("used %d of %d, %v", used, len(b), err)
	}
}

func TestMarkerMalformed(t *testing.T) {
	for _, v := range iwarptest.MarkedStreams() {
		if len(v.Segments) != 1 {
			continue
		}
		for _, m := range v.Markers {
			b := bytes.Clone(v.Wire[:len(v.Wire)-4])
			b[m.At] = 0xff // reserved
			if _, _, _, err := iwarp.ParseMarked(nil, summed(b), 0, true); err != nil {
				t.Errorf("%s: reserved byte of the marker at %d: %v", v.Name, m.At, err)
			}
			b[m.At+3] ^= 4
			if ulpdu, used, _, err := iwarp.ParseMarked(nil, summed(b), 0, true); err != iwarp.ErrMarker || used != 0 || ulpdu != nil {
				t.Errorf("%s: wrong marker at %d: used %d, %v", v.Name, m.At, used, err)
			}
			if _, _, _, err := iwarp.ParseMarked(nil, append(b, v.Wire[len(b):]...), 0, true); err != iwarp.ErrCRC {
				t.Errorf("%s: marker at %d is not in the CRC: %v", v.Name, m.At, err)
			}
		}
	}
	if _, _, _, err := iwarp.ParseMarked(nil, make([]byte, 20), 0, true); err != iwarp.ErrULPDULength {
		t.Errorf("length 0: %v", err)
	}
}

// Markers from a peer are refused if this side has not requested them.
func TestMarkersUnasked(t *testing.T) {
	for _, v := range iwarptest.MarkedStreams() {
		if _, used, _, err := iwarp.ParseFPDU(v.Wire, true); err == nil || used != 0 {
			t.Errorf("%s: used %d, %v", v.Name, used, err)
		}
	}
}
