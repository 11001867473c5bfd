package iwarp_test

import (
	"bytes"
	"encoding/binary"
	"reflect"
	"testing"

	"github.com/godapl/godapl/internal/iwarp"
	"github.com/godapl/godapl/internal/iwarp/iwarptest"
)

func TestSegmentVectors(t *testing.T) {
	for _, v := range iwarptest.FPDUs() {
		t.Run(v.Name, func(t *testing.T) {
			ulpdu, used, _, err := iwarp.ParseFPDU(v.Wire, !v.NoCRC)
			if err != nil || used != len(v.Wire) {
				t.Fatalf("FPDU: used %d of %d, %v", used, len(v.Wire), err)
			}
			// Parsing into a reused segment overwrites all of its fields.
			s := iwarp.Segment{
				Payload: []byte("old"), Len: -1, TO: 1, STag: 2, InvSTag: 3, QN: 4, MSN: 5, MO: 6, Op: 99,
				Tagged: !v.Segment.Tagged, Last: !v.Segment.Last,
			}
			for i := range reflect.TypeFor[iwarp.Segment]().NumField() {
				if f := reflect.ValueOf(s).Field(i); f.Kind() != reflect.Bool && f.IsZero() {
					t.Fatalf("field %d is not tried", i)
				}
			}
			if err := iwarp.ParseSegment(ulpdu, &s); err != nil {
				t.Fatal(err)
			}
			equal(t, s, v.Segment)
			if cap(s.Payload) != len(s.Payload) {
				t.Error("appending to the payload would write into pad and CRC")
			}
			if b := encode(&v.Segment, !v.NoCRC); !bytes.Equal(b, v.Wire) {
				t.Errorf("encode: %x\nwant    %x", b, v.Wire)
			}
		})
	}
}

// One of each opcode is among the vectors.
func TestSegmentVectorsAreComplete(t *testing.T) {
	seen := map[iwarp.Opcode]bool{}
	for _, v := range iwarptest.FPDUs() {
		seen[v.Segment.Op] = true
	}
	for op := iwarp.OpWrite; op <= iwarp.OpAtomicResponse; op++ {
		if !seen[op] {
			t.Errorf("no vector for %v", op)
		}
	}
}

// A segment's header can be parsed before its payload has arrived.
func TestSegmentPrefix(t *testing.T) {
	for _, v := range iwarptest.FPDUs() {
		n := int(binary.BigEndian.Uint16(v.Wire))
		header := iwarp.HeaderLen(v.Wire[2])
		for have := range len(v.Wire) - 2 {
			var s iwarp.Segment
			need, err := iwarp.ParseSegmentPrefix(v.Wire[2:2+have], n, &s)
			want := max(0, header-have)
			if have < 2 {
				want = 2 - have
			}
			if err != nil || need != want {
				t.Errorf("%s, %d of %d bytes: need %d, %v; want %d", v.Name, have, n, need, err, want)
			}
			expect := iwarp.Segment{}
			if want == 0 {
				expect = v.Segment
				expect.Payload = v.Segment.Payload[:min(have, n)-header]
			}
			equal(t, s, expect)
		}
	}
}

func TestSegmentPrefixBounds(t *testing.T) {
	ulpdu := vector(t, "write_5")
	for _, n := range []int{-1, 0, 1, 13} {
		var s iwarp.Segment
		if _, err := iwarp.ParseSegmentPrefix(ulpdu, n, &s); err != iwarp.ErrSegmentShort {
			t.Errorf("segment of %d bytes: %v", n, err)
		}
	}
	// The length of the whole payload decides about wrapping, not the part in the buffer.
	binary.BigEndian.PutUint64(ulpdu[6:], 1<<64-1000)
	var s iwarp.Segment
	if _, err := iwarp.ParseSegmentPrefix(ulpdu[:16], 14+1001, &s); err != iwarp.ErrTOWrap {
		t.Errorf("payload of 1001 that has 1000 bytes of space: %v", err)
	}
	if _, err := iwarp.ParseSegmentPrefix(ulpdu[:16], 14+999, &s); err != nil {
		t.Errorf("payload of 999 that has 1000 bytes of space: %v", err)
	}
}

func TestSegmentPayloadIsBounded(t *testing.T) {
	for _, name := range []string{"write_5", "send_5"} {
		ulpdu := append(vector(t, name), "the next"...)
		ulpdu = ulpdu[:len(ulpdu)-8]
		var s iwarp.Segment
		if err := iwarp.ParseSegment(ulpdu, &s); err != nil || cap(s.Payload) != 5 {
			t.Errorf("%s: payload with a capacity of %d, %v", name, cap(s.Payload), err)
		}
	}
}

// Messages of fixed size with a wrong length are refused after their header, before any
// byte of the body has arrived.
func TestSegmentFixedSizes(t *testing.T) {
	for name, size := range map[string]int{
		"read_req": 28, "imm_data": 8, "imm_data_se": 8, "atomic_cmpswap": 52, "atomic_resp": 12,
	} {
		header := vector(t, name)[:18]
		for n := range 100 {
			var s iwarp.Segment
			if _, err := iwarp.ParseSegmentPrefix(header, 18+n, &s); (err == nil) != (n == size) {
				t.Errorf("%s with a body of %d: %v", name, n, err)
			}
		}
	}
}

// Errors with the same reaction remain distinguishable.
func TestSegmentOpcodeErrors(t *testing.T) {
	for _, c := range []struct {
		vector  string
		control byte
		want    error
	}{
		{"write_5", 0x4c, iwarp.ErrOpcode}, {"send_5", 0x4f, iwarp.ErrOpcode},
		{"write_5", 0x43, iwarp.ErrOpcodeModel}, {"send_5", 0x42, iwarp.ErrOpcodeModel},
		{"send_5", 0x41, iwarp.ErrOpcodeQueue}, {"read_req", 0x43, iwarp.ErrOpcodeQueue},
	} {
		ulpdu := vector(t, c.vector)
		ulpdu[1] = c.control
		if err := iwarp.ParseSegment(ulpdu, &iwarp.Segment{}); err != c.want {
			t.Errorf("%s with control byte %#x: %v, want %v", c.vector, c.control, err, c.want)
		}
	}
}

// The STag and TO of zero-length tagged segments are not checked.
func TestSegmentEmptyWrite(t *testing.T) {
	ulpdu := vector(t, "rtr_write_zero")
	for i := 2; i < len(ulpdu); i++ {
		ulpdu[i] = 0xff
	}
	var s iwarp.Segment
	if err := iwarp.ParseSegment(ulpdu, &s); err != nil || s.STag != 1<<32-1 || s.TO != 1<<64-1 || s.Len != 0 {
		t.Errorf("%+v, %v", s, err)
	}
}

func TestSegmentReservedBits(t *testing.T) {
	for _, v := range iwarptest.FPDUs() {
		ulpdu := vector(t, v.Name)
		ulpdu[0] |= 0x3c
		ulpdu[1] |= 0x30
		var s iwarp.Segment
		if err := iwarp.ParseSegment(ulpdu, &s); err != nil {
			t.Errorf("%s: %v", v.Name, err)
		}
		equal(t, s, v.Segment)
	}
}

func TestOpcodes(t *testing.T) {
	for _, c := range []struct {
		op                                iwarp.Opcode
		name                              string
		tagged                            bool
		queue                             iwarp.QN
		extension, invalidates, solicited bool
	}{
		{op: 0, name: "RDMA Write", tagged: true},
		{op: 1, name: "RDMA Read Request", queue: 1},
		{op: 2, name: "RDMA Read Response", tagged: true},
		{op: 3, name: "Send"},
		{op: 4, name: "Send with Invalidate", invalidates: true},
		{op: 5, name: "Send with Solicited Event", solicited: true},
		{op: 6, name: "Send with Solicited Event and Invalidate", invalidates: true, solicited: true},
		{op: 7, name: "Terminate", queue: 2},
		{op: 8, name: "Immediate Data", extension: true},
		{op: 9, name: "Immediate Data with Solicited Event", extension: true, solicited: true},
		{op: 10, name: "Atomic Request", queue: 1, extension: true},
		{op: 11, name: "Atomic Response", queue: 3, extension: true},
		{op: 12, name: "reserved opcode 12"},
		{op: 15, name: "reserved opcode 15"},
		{op: 16, name: "reserved opcode 16", tagged: true}, // the field has four bits
	} {
		if c.op.String() != c.name || c.op.Tagged() != c.tagged || c.op.Queue() != c.queue ||
			c.op.Extension() != c.extension || c.op.Invalidates() != c.invalidates || c.op.Solicited() != c.solicited {
			t.Errorf("opcode %d: %v, tagged %v, queue %d, extension %v, invalidates %v, solicited %v", c.op, c.op,
				c.op.Tagged(), c.op.Queue(), c.op.Extension(), c.op.Invalidates(), c.op.Solicited())
		}
	}
}
