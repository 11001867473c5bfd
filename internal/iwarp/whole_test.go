package iwarp_test

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/godapl/godapl/internal/iwarp"
	"github.com/godapl/godapl/internal/iwarp/iwarptest"
)

// TestParseWholeSend: the fast path agrees with the general one, or returns false. It
// must accept every Send of one segment in the form that this library sends.
func TestParseWholeSend(t *testing.T) {
	taken := 0
	check := func(b []byte, crc bool) {
		t.Helper()
		payload, msn, used, ok := iwarp.ParseWholeSend(b, crc)
		if !ok {
			return
		}
		taken++
		ulpdu, n, _, err := iwarp.ParseFPDU(b, crc)
		var s iwarp.Segment
		if err == nil && n > 0 {
			err = iwarp.ParseSegment(ulpdu, &s)
		}
		if err != nil || n != used || s.Op != iwarp.OpSend || !s.Last || s.Tagged || s.QN != iwarp.QueueSend ||
			s.MO != 0 || s.MSN != msn || !bytes.Equal(s.Payload, payload) {
			t.Fatalf("%x: took %d bytes, payload %x, MSN %d; it is %+v of %d bytes, %v", b, used, payload, msn, s, n, err)
		}
	}
	for _, v := range iwarptest.FPDUs() {
		check(v.Wire, !v.NoCRC)
	}
	rnd := rand.New(rand.NewPCG(3, 4))
	for n := range 300 {
		crc := n%2 == 0
		h := iwarp.UntaggedHeader{Op: iwarp.OpSend, Last: true, MSN: iwarp.MSN(rnd.Uint32())}
		good := append(iwarp.AppendUntagged(nil, h, make([]byte, n), crc), "the next"...)
		if payload, msn, used, ok := iwarp.ParseWholeSend(good, crc); !ok || len(payload) != n || cap(payload) != n || msn != h.MSN || used != len(good)-8 {
			t.Fatalf("a Send of %d bytes: payload of %d, MSN %d, used %d, %v", n, len(payload), msn, used, ok)
		}
		for _, h.Op = range []iwarp.Opcode{iwarp.OpSend, iwarp.OpSendSE} {
			payload := bytes.Repeat([]byte{0xa5}, n)
			dst := bytes.Repeat([]byte{0xff}, 400)
			want := iwarp.AppendUntagged(nil, h, payload, crc)
			if got := iwarp.PutWholeSend(dst, h.Op, h.MSN, payload, crc); !bytes.Equal(got, want) || &got[0] != &dst[0] || dst[len(got)] != 0xff {
				t.Fatalf("a Send of %d bytes: %x, want %x", n, got, want)
			}
		}
		for cut := range len(good) - 8 {
			if _, _, _, ok := iwarp.ParseWholeSend(good[:cut], crc); ok {
				t.Fatalf("a Send of %d bytes was taken after %d", n, cut)
			}
		}
		for bit := range 24 * 8 { // without CRC, many of these are valid segments
			b := bytes.Clone(good)
			b[bit/8] ^= 1 << (bit % 8)
			check(b, crc)
		}
	}
	if taken == 0 {
		t.Fatal("nothing was compared")
	}
}
