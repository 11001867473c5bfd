package iwarp_test

import (
	"encoding/binary"
	"hash/crc32"
	"reflect"
	"testing"

	"github.com/godapl/godapl/internal/iwarp"
	"github.com/godapl/godapl/internal/iwarp/iwarptest"
)

// summed appends the CRC of b, computed independently of the encoders.
func summed(b []byte) []byte {
	sum := crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli))
	return binary.LittleEndian.AppendUint32(b[:len(b):len(b)], sum)
}

// vector returns a copy of the ULPDU of a known FPDU, which the test may change.
func vector(t *testing.T, name string) []byte {
	t.Helper()
	for _, v := range iwarptest.FPDUs() {
		if v.Name == name {
			n := binary.BigEndian.Uint16(v.Wire)
			return v.Wire[iwarp.LengthSize : iwarp.LengthSize+int(n)]
		}
	}
	t.Fatalf("no vector %q", name)
	return nil
}

// encode makes the FPDU that s was parsed from.
func encode(s *iwarp.Segment, crc bool) []byte {
	if s.Tagged {
		h := iwarp.TaggedHeader{Op: s.Op, Last: s.Last, STag: s.STag, TO: s.TO}
		return iwarp.AppendTagged(nil, h, s.Payload, crc)
	}
	return iwarp.AppendUntagged(nil, untagged(s), s.Payload, crc)
}

func untagged(s *iwarp.Segment) iwarp.UntaggedHeader {
	return iwarp.UntaggedHeader{
		Op: s.Op, Last: s.Last, InvSTag: s.InvSTag, QN: s.QN, MSN: s.MSN, MO: s.MO,
	}
}

// equal compares values; empty and missing bytes are the same.
func equal(t *testing.T, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(plain(got), plain(want)) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func plain(v any) any {
	switch v := v.(type) {
	case iwarp.Segment:
		v.Payload = append([]byte{}, v.Payload...)
		return v
	case iwarp.Frame:
		v.Private = append([]byte{}, v.Private...)
		return v
	}
	return v
}

// reaction returns the required reaction to an error, in the notation of the tables.
func reaction(err error) string {
	if err == nil {
		return "accept"
	}
	what, cause := err.(iwarp.ParseError).Reaction()
	switch what {
	case iwarp.ReactClose:
		return "close"
	case iwarp.ReactReject:
		return "reject"
	}
	const digits = "0123456789abcdef"
	return string([]byte{
		'0' + byte(cause.Layer()), '/', '0' + byte(cause.EType()), '/', '0', 'x',
		digits[cause.Code()>>4], digits[cause.Code()&0xf],
	})
}
