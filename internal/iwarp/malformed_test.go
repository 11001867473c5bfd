package iwarp_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/godapl/godapl/internal/iwarp"
	"github.com/godapl/godapl/internal/iwarp/iwarptest"
)

// receive makes the checks of a receiver that need no state of the connection.
func receive(b []byte, request bool) error {
	if request {
		var f iwarp.Frame
		used, _, err := iwarp.ParseRequest(b, &f)
		if err == nil && used == 0 {
			return fmt.Errorf("incomplete")
		}
		return err
	}
	ulpdu, used, _, err := iwarp.ParseFPDU(b, true)
	if err != nil {
		return err
	}
	if used != len(b) {
		return fmt.Errorf("incomplete")
	}
	return deliver(ulpdu)
}

func deliver(ulpdu []byte) error {
	var s iwarp.Segment
	if err := iwarp.ParseSegment(ulpdu, &s); err != nil {
		if !reflect.DeepEqual(s, iwarp.Segment{}) {
			return fmt.Errorf("both a segment and %v", err)
		}
		return err
	}
	var err error
	switch s.Op {
	case iwarp.OpReadRequest:
		err = iwarp.ParseReadRequest(s.Payload, &iwarp.ReadRequest{})
	case iwarp.OpTerminate:
		err = iwarp.ParseTerminate(s.Payload, true, &iwarp.Terminate{})
	case iwarp.OpAtomicRequest:
		err = iwarp.ParseAtomicRequest(s.Payload, &iwarp.AtomicRequest{})
	case iwarp.OpAtomicResponse:
		err = iwarp.ParseAtomicResponse(s.Payload, &iwarp.AtomicResponse{})
	case iwarp.OpImmediate, iwarp.OpImmediateSE:
		_, err = iwarp.ParseImmediate(s.Payload)
	}
	return err
}

func TestMalformedVectors(t *testing.T) {
	for _, v := range iwarptest.Malformed() {
		t.Run(v.Name, func(t *testing.T) {
			err := receive(v.Wire, v.Request)
			if v.Err == 0 {
				// The bytes are well-formed, but such a message is not allowed at that time.
				if err != nil {
					t.Errorf("the codec refuses what only the connection can judge: %v", err)
				}
				return
			}
			if err != v.Err {
				t.Errorf("got %v, want %v", err, v.Err)
			}
			if got := reaction(v.Err); !slices.Contains(v.Want, got) {
				t.Errorf("reaction %s, want one of %v", got, v.Want)
			}
		})
	}
}

// Values that only the connection can check are in the parsed segment.
func TestMalformedStateIsVisible(t *testing.T) {
	want := map[string]iwarp.Segment{
		"send_msn_skip":         {Op: iwarp.OpSend, Last: true, MSN: 2},
		"send_msn_0":            {Op: iwarp.OpSend, Last: true, MSN: 0},
		"send_mo_gap":           {Op: iwarp.OpSend, Last: true, MSN: 1, MO: 8},
		"read_resp_unsolicited": {Op: iwarp.OpReadResponse, Tagged: true, Last: true, STag: 0xaabbcc01, TO: 0x1000},
		"nonzero_pad_good_crc":  {Op: iwarp.OpSend, Last: true, MSN: 1},
	}
	for _, v := range iwarptest.Malformed() {
		w, ok := want[v.Name]
		if v.Err != 0 || v.Request {
			continue
		}
		if !ok {
			t.Errorf("%s is not expected to be left to the connection", v.Name)
			continue
		}
		ulpdu, _, _, _ := iwarp.ParseFPDU(v.Wire, true)
		var s iwarp.Segment
		if err := iwarp.ParseSegment(ulpdu, &s); err != nil {
			t.Fatal(err)
		}
		w.Payload, w.Len = []byte("hello"), 5
		equal(t, s, w)
	}
}

// A frame parser leaves the bytes of an FPDU that follows the frame.
func TestMalformedTrailingIsVisible(t *testing.T) {
	for _, v := range iwarptest.Malformed() {
		if v.Name != "mpa_req_trailing" {
			continue
		}
		var f iwarp.Frame
		if used, _, err := iwarp.ParseRequest(v.Wire, &f); used != 20 || err != nil {
			t.Errorf("used %d of %d, %v", used, len(v.Wire), err)
		}
	}
}

// Input that is invalid after some bytes stays invalid with all bytes.
func TestMalformedPrefixes(t *testing.T) {
	for _, v := range iwarptest.Malformed() {
		if v.Err == 0 {
			continue
		}
		refused := false
		for cut := range len(v.Wire) + 1 {
			var err error
			var used, need int
			if v.Request {
				used, need, err = iwarp.ParseRequest(v.Wire[:cut], &iwarp.Frame{})
			} else {
				var ulpdu []byte
				ulpdu, used, need, err = iwarp.ParseFPDU(v.Wire[:cut], true)
				if used != 0 {
					err = deliver(ulpdu)
					used = 0
				}
			}
			refused = refused || err != nil
			switch {
			case refused && err != v.Err:
				t.Errorf("%s, %d bytes: used %d, need %d, %v; want %v", v.Name, cut, used, need, err, v.Err)
			case !refused && (used != 0 || need <= 0):
				t.Errorf("%s, %d bytes: used %d, need %d", v.Name, cut, used, need)
			}
		}
		if !refused {
			t.Errorf("%s: never refused", v.Name)
		}
	}
}

// A mutation changes a good ULPDU; each must be refused in one of the ways given.
type mutation struct {
	what, vector string
	want         []string
	change       func(ulpdu []byte) []byte
}

func set8(at int, v byte) func([]byte) []byte {
	return func(b []byte) []byte { b[at] = v; return b }
}

func set32(at int, v uint32) func([]byte) []byte {
	return func(b []byte) []byte { binary.BigEndian.PutUint32(b[at:], v); return b }
}

func set64(at int, v uint64) func([]byte) []byte {
	return func(b []byte) []byte { binary.BigEndian.PutUint64(b[at:], v); return b }
}

func body(n int) func([]byte) []byte {
	return func(b []byte) []byte {
		return append(b[:iwarp.UntaggedHeaderSize:iwarp.UntaggedHeaderSize], make([]byte, n)...)
	}
}

func mutations() []mutation {
	var all []mutation
	add := func(what, vector string, change func([]byte) []byte, want ...string) {
		all = append(all, mutation{what, vector, want, change})
	}
	for n := range 14 {
		add(fmt.Sprintf("%d bytes", n), "write_5", func(b []byte) []byte { return b[:n] }, "1/0/0x00", "close")
	}
	for n := range 18 {
		add(fmt.Sprintf("%d bytes", n), "send_5", func(b []byte) []byte { return b[:n] }, "1/0/0x00", "close")
	}
	for _, dv := range []byte{0, 2, 3} {
		add(fmt.Sprintf("DDP version %d", dv), "write_5", set8(0, 0xc0|dv), "1/1/0x04")
		add(fmt.Sprintf("DDP version %d", dv), "send_5", set8(0, 0x40|dv), "1/2/0x06")
		add(fmt.Sprintf("RDMAP version %d", dv), "write_5", set8(1, dv<<6), "0/2/0x05")
		add(fmt.Sprintf("RDMAP version %d", dv), "send_5", set8(1, dv<<6|3), "0/2/0x05")
	}
	for op := byte(12); op < 16; op++ {
		add(fmt.Sprintf("opcode %d", op), "send_5", set8(1, 0x40|op), "0/2/0x06")
		add(fmt.Sprintf("opcode %d", op), "write_5", set8(1, 0x40|op), "0/2/0x06")
	}
	for _, op := range []byte{0, 2} {
		add(fmt.Sprintf("opcode %d untagged", op), "send_5", set8(1, 0x40|op), "0/2/0x06")
	}
	for _, op := range []byte{1, 3, 4, 5, 6, 7, 8, 9, 10, 11} {
		add(fmt.Sprintf("opcode %d tagged", op), "write_5", set8(1, 0x40|op), "0/2/0x06")
	}
	for _, v := range []string{"send_5", "send_inv", "send_se", "send_se_inv", "read_req", "imm_data", "imm_data_se", "atomic_fetchadd", "atomic_resp"} {
		home := map[string]uint32{"read_req": 1, "atomic_fetchadd": 1, "atomic_resp": 3}[v]
		for qn := range uint32(4) {
			if qn != home {
				add(fmt.Sprintf("queue %d", qn), v, set32(6, qn), "0/2/0x06", "1/2/0x01")
			}
		}
		for _, qn := range []uint32{4, 5, 7, 0x100, 0x10000, 1 << 31, 1<<32 - 1} {
			add(fmt.Sprintf("queue %d", qn), v, set32(6, qn), "1/2/0x01")
		}
	}
	add("MO and length pass 32 bits", "send_5", set32(14, 1<<32-5), "1/2/0x05")
	add("TO and length pass 64 bits", "write_5", set64(6, 1<<64-4), "1/1/0x03")
	add("TO and length pass 64 bits", "read_resp", set64(6, 1<<64-63), "1/1/0x03")
	for n := range 28 {
		add(fmt.Sprintf("body of %d", n), "read_req", body(n), "0/0/0x00", "close")
	}
	for _, n := range []int{29, 30, 100} {
		add(fmt.Sprintf("body of %d", n), "read_req", body(n), "1/2/0x05")
	}
	for _, v := range []string{"read_req", "imm_data", "atomic_fetchadd", "atomic_resp"} {
		add("without last flag", v, set8(0, 0x01), "0/2/0x06", "1/2/0x04")
		add("MO 1", v, set32(14, 1), "0/2/0x06", "1/2/0x04")
	}
	add("source wraps", "read_req", set64(38, 1<<64-63), "0/1/0x04")
	for _, n := range []int{0, 7, 9} {
		add(fmt.Sprintf("body of %d", n), "imm_data", body(n), "1/2/0x05", "0/2/0x06")
	}
	for _, n := range []int{0, 51, 53} {
		add(fmt.Sprintf("body of %d", n), "atomic_cmpswap", body(n), "0/2/0x06")
	}
	for _, n := range []int{0, 11, 13} {
		add(fmt.Sprintf("body of %d", n), "atomic_resp", body(n), "0/2/0x06")
	}
	for _, op := range []byte{1, 3, 4, 15} {
		add(fmt.Sprintf("atomic operation %d", op), "atomic_fetchadd", set8(18+3, op), "0/2/0x06")
	}
	for off := byte(1); off < 8; off++ {
		add(fmt.Sprintf("offset %d", off), "atomic_fetchadd", set8(18+19, off), "0/2/0x07")
	}
	// No reaction to a Terminate is a Terminate.
	for _, qn := range []uint32{0, 1, 3, 4, 1<<32 - 1} {
		add(fmt.Sprintf("queue %d", qn), "term_mpa_crc", set32(6, qn), "close")
	}
	for _, msn := range []uint32{0, 2, 1<<32 - 1} {
		add(fmt.Sprintf("MSN %d", msn), "term_mpa_crc", set32(10, msn), "close")
	}
	add("MO 4", "term_mpa_crc", set32(14, 4), "close")
	add("without last flag", "term_mpa_crc", set8(0, 0x01), "close")
	for n := range 4 {
		add(fmt.Sprintf("body of %d", n), "term_mpa_crc", body(n), "close")
	}
	return all
}

func TestMalformedSegments(t *testing.T) {
	for _, m := range mutations() {
		good := vector(t, m.vector)
		if err := deliver(good); err != nil {
			t.Fatalf("%s: %v", m.vector, err)
		}
		bad := m.change(bytes.Clone(good))
		err := deliver(bad)
		if _, ok := err.(iwarp.ParseError); !ok {
			t.Errorf("%s, %s: %v, which is not an error of the codec", m.vector, m.what, err)
		} else if got := reaction(err); !slices.Contains(m.want, got) {
			t.Errorf("%s, %s: %v, reaction %s, want one of %v", m.vector, m.what, err, got, m.want)
		}
	}
}

// Valid segments that resemble the mutations above.
func TestWellFormedSegments(t *testing.T) {
	for _, m := range []mutation{
		{"MO and length just fit 32 bits", "send_5", nil, set32(14, 1<<32-6)},
		{"TO and length just fit 64 bits", "write_5", nil, set64(6, 1<<64-6)},
		{"source just fits 64 bits", "read_req", nil, set64(38, 1<<64-65)},
		{"size 0 from anywhere", "rtr_read_req_zero", nil, set64(38, 1<<64-1)},
		{"any MSN of a request", "read_req", nil, set32(10, 0)},
		{"an invalidate STag where none is due", "send_5", nil, set32(2, 7)},
		{"reserved bits of an atomic operation", "atomic_cmpswap", nil, set32(18, 0xfffffff2)},
		{"a Terminate with bytes behind it", "term_mpa_crc", nil, body(200)},
	} {
		if err := deliver(m.change(vector(t, m.vector))); err != nil {
			t.Errorf("%s, %s: %v", m.vector, m.what, err)
		}
	}
}
