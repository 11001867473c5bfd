package peers_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/godapl/godapl/internal/iwarp"
)

// Writes to places that they may not change: rows 42 to 48 and 50.

func TestWrites(t *testing.T) {
	runCases(t, slices.Concat(stagCases(), rightCases(), boundCases(), emptyCases()))
}

// writing is a case of one Write of "hello" to an STag and an address.
func writing(row int, name, want string, where func(m *memory) (iwarp.STag, uint64)) badCase {
	return badCase{row: row, name: name, want: want, data: func(x *exchange) []byte {
		stag, to := where(x.m())
		return write(stag, to, "hello")
	}}
}

func stagCases() (cases []badCase) {
	const want = "1/1/0x00"
	for _, stag := range []iwarp.STag{0, 1, 0x12345, 0x80000001, 0xfffffffe, 0xffffffff} {
		cases = append(cases, writing(42, fmt.Sprintf("STag %#x", stag), want, func(m *memory) (iwarp.STag, uint64) { return stag, m.all.to(0) }))
	}
	for _, bits := range []iwarp.STag{1, 2, 0x80, 0xff} {
		cases = append(cases, writing(43, fmt.Sprintf("key differs by %#x", bits), want, func(m *memory) (iwarp.STag, uint64) {
			return m.all.stag() ^ bits, m.all.to(0)
		}))
	}
	return append(cases,
		writing(42, "index differs", want, func(m *memory) (iwarp.STag, uint64) { return m.all.stag() ^ 0x100, m.all.to(0) }),
		badCase{row: 42, name: "region was closed", want: want, data: func(x *exchange) []byte {
			all := x.m().all
			if err := all.Close(); err != nil {
				x.t.Error(err)
			}
			return write(all.stag(), all.to(0), "hello")
		}},
	)
}

func rightCases() []badCase {
	const unknown = "1/1/0x00"
	return []badCase{
		writing(44, "of another zone", "1/1/0x02", func(m *memory) (iwarp.STag, uint64) { return m.alien.stag(), m.alien.to(0) }),
		writing(45, "only remote read", "0/1/0x02", func(m *memory) (iwarp.STag, uint64) { return m.read.stag(), m.read.to(0) }),
		writing(45, "no remote right", unknown, func(m *memory) (iwarp.STag, uint64) { return m.local.stag(), m.local.to(0) }),
		writing(45, "no remote right, behind the end", unknown, func(m *memory) (iwarp.STag, uint64) { return m.local.stag(), m.local.to(pieceSize) }),
		writing(45, "a receive's memory", unknown, func(m *memory) (iwarp.STag, uint64) { return m.recv.stag(), m.recv.to(0) }),
		writing(45, "a read's memory", unknown, func(m *memory) (iwarp.STag, uint64) { return m.sink.stag(), m.sink.to(0) }),
	}
}

func boundCases() (cases []badCase) {
	for name, at := range map[string]int64{
		"one byte before": -1, "all of it before": -5, "one byte past": pieceSize - 4, "at the end": pieceSize,
		"behind the end": pieceSize + 1, "in the neighbour": pieceSize + strip, "far below": -1 << 40, "far above": 1 << 40,
	} {
		cases = append(cases, writing(46, name, "1/1/0x01", func(m *memory) (iwarp.STag, uint64) { return m.all.stag(), m.all.far(at) }))
	}
	cases = append(cases,
		writing(46, "address 0", "1/1/0x01", func(m *memory) (iwarp.STag, uint64) { return m.all.stag(), 0 }),
		badCase{row: 46, name: "longer than the region", want: "1/1/0x01", data: func(x *exchange) []byte {
			return write(x.m().all.stag(), x.m().all.to(0), strings.Repeat("x", pieceSize+1))
		}},
		writing(47, "wraps by one", "1/1/0x03", func(m *memory) (iwarp.STag, uint64) { return m.all.stag(), 1<<64 - 4 }),
		writing(47, "wraps by four", "1/1/0x03", func(m *memory) (iwarp.STag, uint64) { return m.all.stag(), 1<<64 - 1 }),
		writing(47, "ends at 2^64", "1/1/0x03 1/1/0x01", func(m *memory) (iwarp.STag, uint64) { return m.all.stag(), 1<<64 - 5 }),
		writing(47, "wraps, STag unknown", "1/1/0x03", func(m *memory) (iwarp.STag, uint64) { return 0x12345, 1<<64 - 2 }),
	)
	for name, second := range map[string]int{"leaves the region": pieceSize - 4, "is far off": 1 << 30, "is before the region": -3} {
		cases = append(cases, badCase{row: 50, name: "second segment " + name, want: "1/1/0x01", data: func(x *exchange) []byte {
			all := x.m().all
			x.may(all, 0, 5)
			return slices.Concat(tagged(iwarp.OpWrite, all.stag(), all.to(0), "first", false),
				tagged(iwarp.OpWrite, all.stag(), all.to(second), "later", true), write(all.stag(), all.to(16), "not any more"))
		}})
	}
	return append(cases, badCase{row: 50, name: "second segment has another STag", want: "1/1/0x02", data: func(x *exchange) []byte {
		all, alien := x.m().all, x.m().alien
		x.may(all, 0, 5)
		return slices.Concat(tagged(iwarp.OpWrite, all.stag(), all.to(0), "first", false), tagged(iwarp.OpWrite, alien.stag(), alien.to(0), "later", true))
	}})
}

func emptyCases() (cases []badCase) {
	for name, where := range map[string]func(m *memory) (iwarp.STag, uint64){
		"STag 0":           func(m *memory) (iwarp.STag, uint64) { return 0, 0 },
		"unknown STag":     func(m *memory) (iwarp.STag, uint64) { return 0xdeadbeef, 1<<64 - 1 },
		"another zone":     func(m *memory) (iwarp.STag, uint64) { return m.alien.stag(), m.alien.to(0) },
		"no right":         func(m *memory) (iwarp.STag, uint64) { return m.read.stag(), m.read.to(0) },
		"far out of range": func(m *memory) (iwarp.STag, uint64) { return m.all.stag(), 1 },
	} {
		cases = append(cases, badCase{row: 48, name: name, want: "accept", data: func(x *exchange) []byte {
			stag, to := where(x.m())
			return write(stag, to, "")
		}})
	}
	return cases
}

// The Terminate quotes the header of the refused segment, and nothing of its payload.
func TestTerminateQuotesTheHeaderOnly(t *testing.T) {
	runCases(t, []badCase{{
		row: 46, name: "one byte past", want: "1/1/0x01",
		data: func(x *exchange) []byte { return write(x.m().all.stag(), x.m().all.to(pieceSize-4), "hello") },
		check: func(x *exchange, end ending) {
			want := write(x.m().all.stag(), x.m().all.to(pieceSize-4), "")[2:][:iwarp.TaggedHeaderSize]
			if end.term == nil || string(end.term.DDP) != string(want) || end.term.ReadRequest != nil || end.term.SegmentLength != 19 {
				x.t.Errorf("the Terminate says %+v, want header % x of 19 bytes", end.term, want)
			}
		},
	}, {
		row: 51, name: "not there", want: "0/1/0x00",
		data: func(x *exchange) []byte { return readRequest(1, 0x12345, 0x1000, 8) },
		check: func(x *exchange, end ending) {
			want := readRequest(1, 0x12345, 0x1000, 8)[2:][:46]
			if end.term == nil || string(end.term.DDP)+string(end.term.ReadRequest) != string(want) || end.term.SegmentLength != 46 {
				x.t.Errorf("the Terminate says %+v, want headers % x of 46 bytes", end.term, want)
			}
		},
	}})
}
