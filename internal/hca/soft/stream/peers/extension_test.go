package peers_test

import (
	"encoding/binary"
	"fmt"
	"slices"
	"testing"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/iwarp"
)

// The extensions of RFC 7306, used by a peer that may use them: rows 76 to 78.

func TestExtensions(t *testing.T) {
	cases := slices.Concat(immediateCases(), atomicCases())
	for i := range cases {
		cases[i].roles = ownRoles
	}
	runCases(t, cases)
}

func immediate(msn iwarp.MSN) []byte { return iwarp.AppendImmediate(nil, msn, 0x0102, false, true) }

func immediateCases() (cases []badCase) {
	for _, n := range []int{0, 1, 4, 7, 9, 16} {
		cases = append(cases, fixed(76, fmt.Sprintf("Immediate Data of %d bytes", n), "1/2/0x05 0/2/0x06",
			raw(append(slices.Clone(immediate(1)[2:][:iwarp.UntaggedHeaderSize]), make([]byte, n)...)...)))
	}
	return append(cases,
		fixed(32, "Immediate Data with MSN 2", "1/2/0x03", immediate(2)),
		badCase{row: 36, name: "no receive for Immediate Data", want: "1/2/0x02", recvs: []int{}, data: func(*exchange) []byte { return immediate(1) }},
		badCase{row: 39, name: "Send becomes Immediate Data", want: "0/2/0x06", data: func(x *exchange) []byte {
			x.may(x.m().recv, 0, 5)
			return slices.Concat(sendPart(iwarp.OpSend, 1, 0, "hello", false), immediate(1))
		}},
		badCase{row: 39, name: "an empty segment of a Send becomes Immediate Data", want: "0/2/0x06", data: func(*exchange) []byte {
			return slices.Concat(sendPart(iwarp.OpSend, 1, 0, "", false), immediate(1))
		}},
		badCase{row: 76, name: "Immediate Data of 8 bytes", want: "accept", recvs: []int{0}, data: func(x *exchange) []byte {
			x.p.send++
			x.may(x.m().all, 0, 5)
			return slices.Concat(write(x.m().all.stag(), x.m().all.to(0), "hello"), immediate(1))
		}, check: func(x *exchange, _ ending) {
			if wc := x.e.received(); wc.Op != hca.OpRecvWriteImm || wc.Imm != 0x0102 || wc.Len != 5 {
				x.t.Errorf("the receive says %+v", wc)
			}
		}},
	)
}

func atomicCases() (cases []badCase) {
	whole := func(x *exchange) []byte { return fetchAdd(1, x.m().all.stag(), x.m().all.to(0)) }
	for _, n := range []int{0, 28, 51, 53, 56} {
		cases = append(cases, badCase{row: 77, name: fmt.Sprintf("body of %d bytes", n), want: "0/2/0x06", data: func(x *exchange) []byte {
			u := append(slices.Clone(whole(x)[2:][:iwarp.UntaggedHeaderSize+iwarp.AtomicRequestSize]), make([]byte, 8)...)
			return raw(u[:iwarp.UntaggedHeaderSize+n]...)
		}})
	}
	for _, op := range []byte{1, 3, 4, 15} {
		cases = append(cases, badCase{row: 77, name: fmt.Sprintf("atomic opcode %d", op), want: "0/2/0x06", data: func(x *exchange) []byte {
			return edit(whole(x), func(u []byte) { u[21] = u[21]&^0xf | op })
		}})
	}
	for _, i := range []int{1, 4, 7} {
		cases = append(cases, badCase{row: 77, name: fmt.Sprintf("TO %d bytes off", i), want: "0/2/0x07", data: func(x *exchange) []byte {
			return fetchAdd(1, x.m().all.stag(), x.m().all.to(i))
		}})
	}
	at := func(name, want string, where func(m *memory) (iwarp.STag, uint64)) {
		cases = append(cases, badCase{row: 77, name: name, want: want, data: func(x *exchange) []byte {
			stag, to := where(x.m())
			return fetchAdd(1, stag, to)
		}})
	}
	at("only remote read", "0/1/0x02", func(m *memory) (iwarp.STag, uint64) { return m.read.stag(), m.read.to(0) })
	at("no remote right", "0/1/0x00", func(m *memory) (iwarp.STag, uint64) { return m.local.stag(), m.local.to(0) })
	at("no remote right, behind the end", "0/1/0x00", func(m *memory) (iwarp.STag, uint64) { return m.local.stag(), m.local.to(pieceSize) })
	at("only remote write", "0/1/0x02", func(m *memory) (iwarp.STag, uint64) { return m.write.stag(), m.write.to(0) })
	at("unknown STag", "0/1/0x00", func(m *memory) (iwarp.STag, uint64) { return 0x12300, m.all.to(0) })
	at("another zone", "0/1/0x03", func(m *memory) (iwarp.STag, uint64) { return m.alien.stag(), m.alien.to(0) })
	at("behind the end", "0/1/0x01", func(m *memory) (iwarp.STag, uint64) { return m.all.stag(), m.all.to(pieceSize) })
	at("at the end of 64 bits", "0/1/0x01 0/1/0x04", func(m *memory) (iwarp.STag, uint64) { return m.all.stag(), 1<<64 - 8 })
	return append(cases, atomicAnswers()...)
}

func atomicAnswers() []badCase {
	answer := func(id uint32) []byte {
		return iwarp.AppendAtomicResponse(nil, 1, iwarp.AtomicResponse{ID: id, Original: 7}, true)
	}
	asked := func(name, want string, data func(id uint32) []byte) badCase {
		return badCase{row: 78, name: name, want: want, idle: true, data: func(x *exchange) []byte {
			// The greeting must have arrived, or the request waits for it.
			x.p.write(send(1, ""))
			x.e.received()
			id := x.e.post(hca.SendWR{Op: hca.OpFetchAdd, Local: x.m().sink.segment(0, 8), Remote: 0x1000, RKey: 0xabcd02, Operand: 1}, hca.StatusFlushed, hca.StatusBadResponse)
			x.e.readAt(64, 16)
			s := x.p.want(iwarp.OpAtomicRequest)
			var r iwarp.AtomicRequest
			if err := iwarp.ParseAtomicRequest(s.Payload, &r); err != nil {
				x.t.Fatal(err)
			}
			_ = id
			return data(r.ID)
		}}
	}
	return []badCase{
		fixedIdle(78, "none is under way", "0/2/0x06", answer(1)),
		asked("unknown request", "0/2/0x06", func(id uint32) []byte { return answer(id + 2) }),
		asked("of the read behind it", "0/2/0x06", func(id uint32) []byte { return answer(id + 1) }),
		asked("MSN 2", "1/2/0x03", func(id uint32) []byte {
			return edit(answer(id), func(u []byte) { binary.BigEndian.PutUint32(u[10:], 2) })
		}),
		asked("a Read Response in its place", "0/2/0x06 1/1/0x00", func(id uint32) []byte { return response(iwarp.STag(id), 0, "abcdefgh") }),
	}
}
