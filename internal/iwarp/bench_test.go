package iwarp_test

import (
	"testing"

	"github.com/godapl/godapl/internal/iwarp"
)

var header = iwarp.UntaggedHeader{Op: iwarp.OpSend, Last: true, MSN: 1}

func BenchmarkParseSend64(b *testing.B) {
	wire := iwarp.AppendUntagged(nil, header, make([]byte, 64), true)
	for _, c := range []struct {
		name string
		crc  bool
	}{{"crc", true}, {"nocrc", false}} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			var s iwarp.Segment
			for b.Loop() {
				ulpdu, _, _, err := iwarp.ParseFPDU(wire, c.crc)
				if err == nil {
					err = iwarp.ParseSegment(ulpdu, &s)
				}
				if err != nil || s.Len != 64 {
					b.Fatal(s, err)
				}
			}
		})
	}
}

func BenchmarkBuildSend64(b *testing.B) {
	payload, to := make([]byte, 64), make([]byte, 0, 128)
	for _, c := range []struct {
		name string
		crc  bool
	}{{"crc", true}, {"nocrc", false}} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				iwarp.AppendUntagged(to, header, payload, c.crc)
			}
		})
	}
}

func BenchmarkCRC64KiB(b *testing.B) {
	p := make([]byte, 64<<10)
	b.SetBytes(int64(len(p)))
	for b.Loop() {
		iwarp.CRC(p)
	}
}
