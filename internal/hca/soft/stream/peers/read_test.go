package peers_test

import (
	"encoding/binary"
	"fmt"
	"slices"
	"testing"

	"github.com/godapl/godapl/internal/iwarp"
)

// Read Requests for memory that may not be read: rows 51 to 53, 55 and 56.

func TestReadRequests(t *testing.T) { runCases(t, slices.Concat(sourceCases(), requestFormCases())) }

func sourceCases() []badCase {
	reading := func(name, want string, where func(m *memory) (iwarp.STag, uint64)) badCase {
		return badCase{row: 51, name: name, want: want, data: func(x *exchange) []byte {
			stag, to := where(x.m())
			return readRequest(1, stag, to, 8)
		}, check: func(x *exchange, end ending) { leaksNothing(x, end) }}
	}
	at := func(i int) func(m *memory) (iwarp.STag, uint64) {
		return func(m *memory) (iwarp.STag, uint64) { return m.all.stag(), m.all.to(i) }
	}
	unknown := func(stag iwarp.STag) func(m *memory) (iwarp.STag, uint64) {
		return func(m *memory) (iwarp.STag, uint64) { return stag, m.all.to(0) }
	}
	return []badCase{
		reading("STag 0", "0/1/0x00", unknown(0)),
		reading("STag 0xffffffff", "0/1/0x00", unknown(0xffffffff)),
		reading("STag unknown", "0/1/0x00", unknown(0x12345)),
		reading("wrong key", "0/1/0x00", func(m *memory) (iwarp.STag, uint64) { return m.all.stag() ^ 1, m.all.to(0) }),
		reading("another zone", "0/1/0x03", func(m *memory) (iwarp.STag, uint64) { return m.alien.stag(), m.alien.to(0) }),
		reading("only remote write", "0/1/0x02", func(m *memory) (iwarp.STag, uint64) { return m.write.stag(), m.write.to(0) }),
		reading("no remote right", "0/1/0x00", func(m *memory) (iwarp.STag, uint64) { return m.local.stag(), m.local.to(0) }),
		reading("no remote right, behind the end", "0/1/0x00", func(m *memory) (iwarp.STag, uint64) { return m.local.stag(), m.local.to(pieceSize) }),
		reading("no remote right, wraps", "0/1/0x04", func(m *memory) (iwarp.STag, uint64) { return m.local.stag(), 1<<64 - 7 }),
		reading("the memory of a send", "0/1/0x00", func(m *memory) (iwarp.STag, uint64) { return m.src.stag(), m.src.to(0) }),
		reading("one byte before", "0/1/0x01", at(-1)),
		reading("one byte past", "0/1/0x01", at(pieceSize-7)),
		reading("behind the end", "0/1/0x01", at(pieceSize+strip)),
		reading("wraps", "0/1/0x04", func(m *memory) (iwarp.STag, uint64) { return m.all.stag(), 1<<64 - 7 }),
		reading("wraps, STag unknown", "0/1/0x04", func(m *memory) (iwarp.STag, uint64) { return 0xabcd02, 1<<64 - 7 }),
		{row: 51, name: "region was closed", want: "0/1/0x00", data: func(x *exchange) []byte {
			_ = x.m().all.Close()
			return readRequest(1, x.m().all.stag(), x.m().all.to(0), 8)
		}, check: leaksNothing},
		{row: 56, name: "size 0xffffffff", want: "0/1/0x01", data: func(x *exchange) []byte {
			return readRequest(1, x.m().all.stag(), x.m().all.to(0), 0xffffffff)
		}, check: leaksNothing},
		{row: 56, name: "one byte more than there is", want: "0/1/0x01", data: func(x *exchange) []byte {
			return readRequest(1, x.m().all.stag(), x.m().all.to(0), pieceSize+1)
		}, check: leaksNothing},
	}
}

// leaksNothing fails if this side answered a read at all.
func leaksNothing(x *exchange, end ending) {
	for _, s := range end.segments {
		if s.Op == iwarp.OpReadResponse {
			x.t.Errorf("a Read Response of %d bytes came", len(s.Payload))
		}
	}
}

func requestFormCases() (cases []badCase) {
	resized := func(n int) []byte {
		u := slices.Clone(readRequest(1, 1, 0, 0)[2:][:iwarp.UntaggedHeaderSize+iwarp.ReadRequestSize])
		return raw(append(u, make([]byte, 64)...)[:iwarp.UntaggedHeaderSize+n]...)
	}
	for n := range iwarp.ReadRequestSize {
		cases = append(cases, fixed(52, fmt.Sprintf("body of %d bytes", n), "close 0/0/0x00", resized(n)))
	}
	for _, n := range []int{29, 30, 31, 32, 56, 64} {
		cases = append(cases, fixed(52, fmt.Sprintf("body of %d bytes", n), "1/2/0x05", resized(n)))
	}
	whole := func() []byte { return readRequest(1, 1, 0, 0) }
	cases = append(cases,
		fixed(53, "not last", "0/2/0x06 1/2/0x04", edit(whole(), func(u []byte) { u[0] &^= 0x40 })),
		fixed(53, "MO 4", "0/2/0x06 1/2/0x04", edit(whole(), func(u []byte) { binary.BigEndian.PutUint32(u[14:], 4) })),
		fixed(53, "both", "0/2/0x06 1/2/0x04", edit(whole(), func(u []byte) { u[0] &^= 0x40; binary.BigEndian.PutUint32(u[14:], 4) })),
	)
	for name, source := range map[string][2]uint64{"STag 0": {}, "unknown": {0xdeadbeef, 1<<64 - 1}, "wraps": {1, 1<<64 - 1}} {
		cases = append(cases, badCase{row: 55, name: "size 0, source " + name, want: "accept", data: func(x *exchange) []byte {
			x.p.request++
			return readRequest(1, iwarp.STag(source[0]), source[1], 0)
		}, check: func(x *exchange, _ ending) {
			s := x.p.want(iwarp.OpReadResponse)
			if s.STag != sinkSTag || s.TO != sinkTO || len(s.Payload) != 0 || !s.Last {
				x.t.Errorf("the answer is %+v, want an empty one for %#x at %#x", s, sinkSTag, sinkTO)
			}
		}})
	}
	return cases
}
