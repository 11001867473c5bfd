package iwarp_test

import (
	"bytes"
	"testing"

	"github.com/godapl/godapl/internal/iwarp"
	"github.com/godapl/godapl/internal/iwarp/iwarptest"
)

func TestMessageVectors(t *testing.T) {
	kinds := map[string]int{}
	for _, v := range iwarptest.FPDUs() {
		if v.Message == nil {
			continue
		}
		t.Run(v.Name, func(t *testing.T) {
			body, msn := v.Segment.Payload, v.Segment.MSN
			var got any
			var b []byte
			var err error
			switch want := v.Message.(type) {
			case iwarp.ReadRequest:
				kinds["read"]++
				var r iwarp.ReadRequest
				err = iwarp.ParseReadRequest(body, &r)
				got, b = r, iwarp.AppendReadRequest(nil, msn, want, true)
			case iwarp.Terminate:
				kinds["terminate"]++
				var m iwarp.Terminate
				err = iwarp.ParseTerminate(body, v.Startup, &m)
				got, b = m, iwarp.AppendTerminate(nil, &want, true)
			case iwarp.AtomicRequest:
				kinds["atomic"]++
				var r iwarp.AtomicRequest
				err = iwarp.ParseAtomicRequest(body, &r)
				got, b = r, iwarp.AppendAtomicRequest(nil, msn, &want, true)
			case iwarp.AtomicResponse:
				kinds["response"]++
				var r iwarp.AtomicResponse
				err = iwarp.ParseAtomicResponse(body, &r)
				got, b = r, iwarp.AppendAtomicResponse(nil, msn, want, true)
			case uint64:
				kinds["immediate"]++
				got, err = iwarp.ParseImmediate(body)
				b = iwarp.AppendImmediate(nil, msn, want, v.Segment.Op.Solicited(), true)
			default:
				t.Fatalf("a message of type %T", want)
			}
			if err != nil {
				t.Fatal(err)
			}
			equal(t, got, v.Message)
			// AppendTerminate writes the RFC's form, so siw's bytes differ.
			if m, ok := got.(iwarp.Terminate); ok && m.SIW {
				return
			}
			if !bytes.Equal(b, v.Wire) {
				t.Errorf("encode: %x\nwant    %x", b, v.Wire)
			}
		})
	}
	if len(kinds) != 5 {
		t.Errorf("kinds of messages seen: %v", kinds)
	}
}

// The parsers of bodies check the size themselves.
func TestMessageSizes(t *testing.T) {
	for n := range 100 {
		b := make([]byte, n)
		r := iwarp.ReadRequest{Size: 1}
		if err := iwarp.ParseReadRequest(b, &r); (err == nil) != (n == 28) || err != nil && r.Size != 1 {
			t.Errorf("Read Request of %d: %v", n, err)
		}
		a := iwarp.AtomicRequest{ID: 1}
		if err := iwarp.ParseAtomicRequest(b, &a); (err == nil) != (n == 52) || err != nil && a.ID != 1 {
			t.Errorf("Atomic Request of %d: %v", n, err)
		}
		p := iwarp.AtomicResponse{ID: 1}
		if err := iwarp.ParseAtomicResponse(b, &p); (err == nil) != (n == 12) || err != nil && p.ID != 1 {
			t.Errorf("Atomic Response of %d: %v", n, err)
		}
		if _, err := iwarp.ParseImmediate(b); (err == nil) != (n == 8) {
			t.Errorf("Immediate Data of %d: %v", n, err)
		}
	}
}

func TestAtomicApply(t *testing.T) {
	const all = 1<<64 - 1
	for _, c := range []struct {
		name      string
		r         iwarp.AtomicRequest
		old, want uint64
	}{
		{"add", iwarp.AtomicRequest{Operand: 5}, 37, 42},
		{"add wraps", iwarp.AtomicRequest{Operand: 2}, all, 1},
		{"carry stops at bit 31", iwarp.AtomicRequest{Operand: 1, Mask: 1 << 31}, 0x1_ffffffff, 0x1_00000000},
		{"two fields of 32 bits", iwarp.AtomicRequest{Operand: 0x00000001_00000001, Mask: 0x80000000_80000000}, 0x00000007_ffffffff, 0x00000008_00000000},
		{"eight fields of 8 bits", iwarp.AtomicRequest{Operand: 0x0101010101010101, Mask: 0x8080808080808080}, 0xff7f00ff80fefe00, 0x0080010081ffff01},
		{"no carry at all", iwarp.AtomicRequest{Operand: 0xf0f0, Mask: all}, 0xffff, 0x0f0f},
		{"swap", iwarp.AtomicRequest{Op: 2, Compare: 7, CompareMask: all, Operand: 9, Mask: all}, 7, 9},
		{"differs", iwarp.AtomicRequest{Op: 2, Compare: 7, CompareMask: all, Operand: 9, Mask: all}, 8, 8},
		{"differs where it does not matter", iwarp.AtomicRequest{Op: 2, Compare: 0xf7, CompareMask: 0xf, Operand: 9, Mask: all}, 7, 9},
		{"swap some bits", iwarp.AtomicRequest{Op: 2, Operand: all, Mask: 0xff00}, 0x12345678, 0x1234ff78},
		{"unknown operation", iwarp.AtomicRequest{Op: 1, Operand: 9, Mask: all}, 7, 7},
	} {
		if got := c.r.Apply(c.old); got != c.want {
			t.Errorf("%s: %#x, want %#x", c.name, got, c.want)
		}
	}
}
