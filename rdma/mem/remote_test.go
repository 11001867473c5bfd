package mem_test

import (
	"bytes"
	"encoding"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/rdma/mem"
)

var (
	_ encoding.BinaryMarshaler   = mem.Remote{}
	_ encoding.BinaryAppender    = mem.Remote{}
	_ encoding.BinaryUnmarshaler = (*mem.Remote)(nil)
)

var golden = []byte{0x12, 0x34, 0x56, 0x78, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0, 0, 0, 0, 0, 0x10, 0, 0x01}

func TestRemoteBinary(t *testing.T) {
	want := mem.Remote{Key: 0x12345678, Addr: 0x0102030405060708, Length: 1<<20 + 1}
	b, err := want.MarshalBinary()
	if err != nil || !bytes.Equal(b, golden) {
		t.Fatalf("% x, %v", b, err)
	}
	b, err = want.AppendBinary([]byte("head"))
	if err != nil || !bytes.Equal(b, append([]byte("head"), golden...)) {
		t.Fatalf("% x, %v", b, err)
	}
	var got mem.Remote
	if err := got.UnmarshalBinary(golden); err != nil || got != want {
		t.Fatalf("%+v, %v", got, err)
	}
}

func TestRemoteBinaryIsStrict(t *testing.T) {
	wraps := bytes.Repeat([]byte{0xff}, 20)
	for name, b := range map[string][]byte{
		"empty": nil, "short": golden[:19], "long": append(bytes.Clone(golden), 0, 1), "wraps": wraps,
	} {
		got := mem.Remote{Key: 7}
		if err := got.UnmarshalBinary(b); !errors.Is(err, hca.Invalid) || got != (mem.Remote{Key: 7}) {
			t.Errorf("%s: %v, %+v", name, err, got)
		}
	}
	padded := new(mem.Remote)
	if err := padded.UnmarshalBinary(append(bytes.Clone(golden), make([]byte, 36)...)); err != nil || *padded == (mem.Remote{}) {
		t.Errorf("with zeros behind it: %v, %+v", err, padded)
	}
	edge := mem.Remote{Addr: math.MaxUint64 - 1, Length: 1}
	b, _ := edge.MarshalBinary()
	if err := new(mem.Remote).UnmarshalBinary(b); err != nil {
		t.Errorf("at the end of the address space: %v", err)
	}
	if b, err := edge.Slice(1, 1).AppendBinary([]byte("x")); !errors.Is(err, hca.Invalid) || string(b) != "x" {
		t.Errorf("an invalid one was marshalled: %q, %v", b, err)
	}
}

func TestRemoteRanges(t *testing.T) {
	r := mem.Remote{Key: 1, Addr: 1000, Length: 10}
	for _, c := range []struct {
		off, n int
		ok     bool
	}{
		{0, 10, true}, {10, 0, true}, {3, 4, true}, {0, 11, false}, {10, 1, false}, {11, 0, false},
		{-1, 1, false}, {1, -1, false}, {math.MaxInt, math.MaxInt, false},
	} {
		s := r.Slice(c.off, c.n)
		if c.ok != (s.Err() == nil) || c.ok != s.Valid() {
			t.Errorf("Slice(%d, %d): %v", c.off, c.n, s.Err())
			continue
		}
		if c.ok && s != (mem.Remote{Key: 1, Addr: 1000 + uint64(c.off), Length: uint64(c.n)}) {
			t.Errorf("Slice(%d, %d): %v", c.off, c.n, s)
		}
		if !c.ok && (s.Len() != 0 || s.Slice(0, 0).Err() == nil || !errors.Is(s.Err(), hca.Invalid) || !strings.Contains(s.Err().Error(), "10 bytes")) {
			t.Errorf("Slice(%d, %d): %v, %v", c.off, c.n, s, s.Err())
		}
	}
	if n := (mem.Remote{Length: math.MaxUint64}).Len(); n != math.MaxInt64 {
		t.Errorf("Len of everything: %d", n)
	}
}
