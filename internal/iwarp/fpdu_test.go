package iwarp_test

import (
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/godapl/godapl/internal/iwarp"
	"github.com/godapl/godapl/internal/iwarp/iwarptest"
)

func TestFPDULen(t *testing.T) {
	for _, c := range []struct{ ulpdu, pad, total int }{
		{1, 1, 8}, {2, 0, 8}, {14, 0, 20}, {18, 0, 24}, {19, 3, 28}, {20, 2, 28}, {21, 1, 28}, {22, 0, 28},
		{46, 0, 52}, {65534, 0, 65540}, {65535, 3, 65544},
	} {
		if pad, total := iwarp.PadLen(c.ulpdu), iwarp.FPDULen(c.ulpdu); pad != c.pad || total != c.total {
			t.Errorf("ULPDU of %d: pad %d, total %d; want %d, %d", c.ulpdu, pad, total, c.pad, c.total)
		}
	}
	for n := range iwarp.MaxULPDU + 1 {
		total := iwarp.FPDULen(n)
		if total%4 != 0 || total != 2+n+iwarp.TrailerLen(n) || iwarp.PadLen(n) > 3 || total > iwarp.MaxFPDULen {
			t.Fatalf("ULPDU of %d: total %d, pad %d", n, total, iwarp.PadLen(n))
		}
	}
}

func TestFPDUPrefixesNeedMore(t *testing.T) {
	for _, v := range iwarptest.FPDUs() {
		for cut := range len(v.Wire) {
			ulpdu, used, need, err := iwarp.ParseFPDU(v.Wire[:cut], !v.NoCRC)
			want := len(v.Wire) - cut
			if cut < 2 {
				want = 2 - cut
			}
			if ulpdu != nil || used != 0 || err != nil || need != want {
				t.Errorf("%s, %d bytes: %x, used %d, need %d, %v; want need %d", v.Name, cut, ulpdu, used, need, err, want)
			}
		}
	}
}

func TestFPDUSharesInput(t *testing.T) {
	for _, v := range iwarptest.FPDUs() {
		b := append(bytes.Clone(v.Wire), "the next"...)
		ulpdu, used, _, err := iwarp.ParseFPDU(b, !v.NoCRC)
		if err != nil || used != len(v.Wire) {
			t.Fatalf("%s: used %d, %v", v.Name, used, err)
		}
		if &ulpdu[0] != &b[2] || cap(ulpdu) != len(ulpdu) {
			t.Errorf("%s: the ULPDU is not in the input, or gives away what is behind it", v.Name)
		}
	}
}

// Every flipped bit is detected, unless it makes the length larger: then the parser
// waits for more bytes.
func TestFPDUBitFlips(t *testing.T) {
	for _, v := range iwarptest.FPDUs() {
		if v.NoCRC {
			continue
		}
		for bit := range len(v.Wire) * 8 {
			b := bytes.Clone(v.Wire)
			b[bit/8] ^= 0x80 >> (bit % 8)
			_, used, need, err := iwarp.ParseFPDU(b, true)
			switch {
			case used != 0:
				t.Errorf("%s: flipping bit %d went unnoticed", v.Name, bit)
			case need != 0 && bit >= 16:
				t.Errorf("%s: flipping bit %d makes it wait", v.Name, bit)
			case need == 0 && err != iwarp.ErrCRC && err != iwarp.ErrULPDULength:
				t.Errorf("%s: flipping bit %d: %v", v.Name, bit, err)
			}
		}
	}
}

func TestFPDUCRCOrder(t *testing.T) {
	b := summed([]byte("\x00\x02ab"))
	if _, used, _, err := iwarp.ParseFPDU(b, true); used != 8 || err != nil {
		t.Fatalf("used %d, %v", used, err)
	}
	binary.BigEndian.PutUint32(b[4:], binary.LittleEndian.Uint32(b[4:]))
	if _, _, _, err := iwarp.ParseFPDU(b, true); err != iwarp.ErrCRC {
		t.Errorf("most significant byte first: %v", err)
	}
	if _, used, _, err := iwarp.ParseFPDU(b, false); used != 8 || err != nil {
		t.Errorf("without CRC: used %d, %v", used, err)
	}
}

// The three ways to make an FPDU: in one call; with FinishFPDU after the header and the
// pieces; with header and trailer around a payload that is elsewhere in memory. The last
// form is also checked by CheckTrailer.
func TestFPDUGathered(t *testing.T) {
	for n := range 70 {
		for _, crc := range []bool{true, false} {
			payload := bytes.Repeat([]byte{0xa5}, n)
			h := iwarp.UntaggedHeader{Op: iwarp.OpSend, Last: true, MSN: 9}
			want := iwarp.AppendUntagged(nil, h, payload, crc)
			if used := iwarp.FPDULen(18 + n); len(want) != used {
				t.Fatalf("%d bytes, want %d", len(want), used)
			}

			b := iwarp.AppendUntaggedHeader([]byte("before"), h, 0)
			b = append(append(b, payload[:n/2]...), payload[n/2:]...)
			if b = iwarp.FinishFPDU(b, 6, crc); string(b[:6]) != "before" || !bytes.Equal(b[6:], want) {
				t.Errorf("in place, payload of %d: %x, want %x", n, b[6:], want)
			}

			header := iwarp.AppendUntaggedHeader(nil, h, n)
			sum := iwarp.UpdateCRC(iwarp.UpdateCRC(iwarp.UpdateCRC(0, header), payload[:n/2]), payload[n/2:])
			trailer := iwarp.AppendTrailer([]byte("before"), 18+n, sum, crc)[6:]
			if len(trailer) != iwarp.TrailerLen(18+n) || !bytes.Equal(append(append(header, payload...), trailer...), want) {
				t.Errorf("gathered, payload of %d: trailer %x, want the end of %x", n, trailer, want)
			}

			if !crc {
				continue
			}
			if err := iwarp.CheckTrailer(trailer, 18+n, sum); err != nil {
				t.Errorf("payload of %d: %v", n, err)
			}
			for i := range trailer {
				trailer[i] ^= 1
				if err := iwarp.CheckTrailer(trailer, 18+n, sum); err != iwarp.ErrCRC {
					t.Errorf("payload of %d, trailer wrong at %d: %v", n, i, err)
				}
				trailer[i] ^= 1
			}
		}
	}
}

func TestFPDULargest(t *testing.T) {
	most := iwarp.TaggedPayload(iwarp.MaxULPDU)
	h := iwarp.TaggedHeader{Op: iwarp.OpWrite, Last: true, STag: 1}
	b := iwarp.AppendTagged(nil, h, make([]byte, most), true)
	ulpdu, used, _, err := iwarp.ParseFPDU(b, true)
	if err != nil || used != iwarp.MaxFPDULen || len(ulpdu) != iwarp.MaxULPDU {
		t.Fatalf("used %d, ULPDU of %d, %v", used, len(ulpdu), err)
	}
	for name, f := range map[string]func(){
		"tagged":   func() { iwarp.AppendTaggedHeader(nil, h, most+1) },
		"untagged": func() { iwarp.AppendUntagged(nil, iwarp.UntaggedHeader{}, make([]byte, 65518), true) },
		"finished": func() { iwarp.FinishFPDU(make([]byte, 2+65536), 0, true) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: more than the length field can say went through", name)
				}
			}()
			f()
		}()
	}
}

func TestMULPDU(t *testing.T) {
	for _, c := range []struct {
		emss    int
		markers bool
		want    int
	}{
		{1460, false, 1454}, {1448, false, 1442}, {1460, true, 1442},
		{65483, false, 65474}, {65483, true, 64768},
		{1 << 20, false, 65535}, {1 << 20, true, 64768},
		{136, false, 130}, {40, false, 128}, {0, true, 128},
	} {
		if got := iwarp.MULPDU(c.emss, c.markers); got != c.want {
			t.Errorf("MULPDU(%d, %v) = %d, want %d", c.emss, c.markers, got, c.want)
		}
	}
	if got := iwarp.UntaggedPayload(1442); got != 1424 {
		t.Errorf("UntaggedPayload(1442) = %d", got)
	}
	if got := iwarp.TaggedPayload(1442); got != 1428 {
		t.Errorf("TaggedPayload(1442) = %d", got)
	}
	// The FPDU fits into a segment wherever it begins in a stream with markers.
	for emss := 536; emss < 10000; emss++ {
		if n := iwarp.FPDULen(iwarp.MULPDU(emss, false)); n > emss || n < emss-3 {
			t.Fatalf("EMSS %d: FPDU of %d", emss, n)
		}
		for offset := uint64(0); offset < 512; offset += 4 {
			if n := iwarp.MarkedLen(offset, iwarp.FPDULen(iwarp.MULPDU(emss, true))); n > emss {
				t.Fatalf("EMSS %d at offset %d: FPDU of %d with markers", emss, offset, n)
			}
		}
	}
}
