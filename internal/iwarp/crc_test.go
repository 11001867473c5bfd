package iwarp_test

import (
	"bytes"
	"testing"

	"github.com/godapl/godapl/internal/iwarp"
	"github.com/godapl/godapl/internal/iwarp/iwarptest"
)

func TestCRCKnownSums(t *testing.T) {
	for _, v := range iwarptest.CRCs() {
		if got := iwarp.CRC(v.Data); got != v.Sum {
			t.Errorf("CRC(%x) = %08x, want %08x", v.Data, got, v.Sum)
		}
		if got := iwarp.AppendCRC([]byte{7}, v.Sum); !bytes.Equal(got[1:], v.Wire) || got[0] != 7 {
			t.Errorf("AppendCRC(%08x) = %x, want %x behind what was there", v.Sum, got, v.Wire)
		}
	}
}

func TestCRCInPieces(t *testing.T) {
	for _, v := range iwarptest.CRCs() {
		for cut := range len(v.Data) + 1 {
			if got := iwarp.UpdateCRC(iwarp.UpdateCRC(0, v.Data[:cut]), v.Data[cut:]); got != v.Sum {
				t.Errorf("%x cut at %d: %08x, want %08x", v.Data, cut, got, v.Sum)
			}
		}
	}
}
