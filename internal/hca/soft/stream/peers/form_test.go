package peers_test

import (
	"encoding/binary"
	"fmt"
	"slices"
	"testing"

	"github.com/godapl/godapl/internal/iwarp"
)

// Malformed single FPDUs: rows 16 to 31.

func TestForm(t *testing.T) { runCases(t, formCases()) }

func formCases() []badCase {
	cases := []badCase{
		fixed(16, "length 0", "close 2/0/0x03", seal([]byte{0, 0, 0, 0, 0, 0, 0, 0})),
		fixed(16, "length 0, and more behind it", "close 2/0/0x03", append(seal(make([]byte, 8)), send(1, "hello")...)),
		fixed(17, "length 1, untagged", "close 1/0/0x00", raw(0x41)),
		fixed(17, "length 1, tagged", "close 1/0/0x00", raw(0xc1)),
		{
			row: 22, name: "CRC in the wrong order", want: "2/0/0x02",
			data: func(x *exchange) []byte { return reverseCRC(write(x.m().all.stag(), x.m().all.to(0), "hello")) },
		},
		{
			row: 23, name: "pad that is not zero", want: "accept", recvs: []int{16},
			data: func(x *exchange) []byte {
				x.may(x.m().recv, 0, 5)
				x.p.send++
				b := send(1, "hello")
				copy(b[len(b)-7:], "\x01\x02\x03")
				return seal(b)
			},
			check: func(x *exchange, _ ending) {
				x.e.received()
				x.m().holds(x.t, x.m().recv.span(0, 5), "hello")
			},
		},
		fixed(31, "queue 4 of a Read Request", "1/2/0x01", edit(readRequest(1, 1, 0, 0), queueNumber(4))),
	}
	for n := 2; n < iwarp.TaggedHeaderSize; n++ {
		cases = append(cases, fixed(18, fmt.Sprintf("tagged of %d bytes", n), "close 1/0/0x00", raw(write(1, 2, "")[2:][:n]...)))
	}
	for n := 2; n < iwarp.UntaggedHeaderSize; n++ {
		cases = append(cases, fixed(19, fmt.Sprintf("untagged of %d bytes", n), "close 1/0/0x00", raw(send(1, "")[2:][:n]...)))
	}
	for _, qn := range []uint32{4, 5, 7, 0x100, 0x7fffffff, 0x80000000, 0xffffffff} {
		cases = append(cases, fixed(31, fmt.Sprintf("queue %d", qn), "1/2/0x01", edit(send(1, "hello"), queueNumber(qn))))
	}
	for qn := uint32(1); qn < 4; qn++ {
		cases = append(cases, fixed(30, fmt.Sprintf("Send on queue %d", qn), "0/2/0x06 1/2/0x01", edit(send(1, "hello"), queueNumber(qn))))
	}
	for _, qn := range []uint32{0, 3} {
		cases = append(cases, fixed(30, fmt.Sprintf("Read Request on queue %d", qn), "0/2/0x06 1/2/0x01", edit(readRequest(1, 1, 0, 0), queueNumber(qn))))
	}
	return slices.Concat(cases, versionCases(), opcodeCases())
}

// fixed is a case whose bytes are known in advance.
func fixed(row int, name, want string, data []byte) badCase {
	return badCase{row: row, name: name, want: want, data: func(*exchange) []byte { return data }}
}

// fixedIdle is a case in which this side has nothing under way.
func fixedIdle(row int, name, want string, data []byte) badCase {
	c := fixed(row, name, want, data)
	c.idle = true
	return c
}

func reverseCRC(fpdu []byte) []byte {
	slices.Reverse(fpdu[len(fpdu)-iwarp.CRCSize:])
	return fpdu
}

func queueNumber(qn uint32) func([]byte) {
	return func(ulpdu []byte) { binary.BigEndian.PutUint32(ulpdu[6:], qn) }
}

func versionCases() (cases []badCase) {
	for _, v := range []byte{0, 2, 3} {
		ddp := func(u []byte) { u[0] = u[0]&^3 | v }
		rdmap := func(u []byte) { u[1] = u[1]&^0xc0 | v<<6 }
		cases = append(cases,
			badCase{row: 24, name: fmt.Sprintf("DDP version %d, tagged", v), want: "1/1/0x04", data: func(x *exchange) []byte {
				return edit(write(x.m().all.stag(), x.m().all.to(0), "hello"), ddp)
			}},
			fixed(25, fmt.Sprintf("DDP version %d, untagged", v), "1/2/0x06", edit(send(1, "hello"), ddp)),
			fixed(26, fmt.Sprintf("RDMAP version %d, untagged", v), "0/2/0x05", edit(send(1, "hello"), rdmap)),
			badCase{row: 26, name: fmt.Sprintf("RDMAP version %d, tagged", v), want: "0/2/0x05", data: func(x *exchange) []byte {
				return edit(write(x.m().all.stag(), x.m().all.to(0), "hello"), rdmap)
			}},
		)
	}
	return cases
}

func opcode(op iwarp.Opcode) func([]byte) {
	return func(ulpdu []byte) { ulpdu[1] = ulpdu[1]&^0xf | byte(op) }
}

func opcodeCases() (cases []badCase) {
	const want = "0/2/0x06"
	onSTag := func(row int, op iwarp.Opcode) badCase {
		return badCase{row: row, name: fmt.Sprintf("opcode %d, tagged", op), want: want, data: func(x *exchange) []byte {
			return edit(write(x.m().all.stag(), x.m().all.to(0), "hello"), opcode(op))
		}}
	}
	for op := iwarp.Opcode(12); op <= 15; op++ {
		cases = append(cases, onSTag(27, op), fixed(27, fmt.Sprintf("opcode %d, untagged", op), want, edit(send(1, "hello"), opcode(op))))
	}
	for op := iwarp.OpImmediate; op <= iwarp.OpAtomicResponse; op++ {
		cases = append(cases, onSTag(27, op))
	}
	foreign := func(name string, data []byte) badCase {
		return fixedIdle(27, name+" of a peer that is not known to have it", want, data)
	}
	cases = append(cases,
		foreign("Immediate Data", iwarp.AppendImmediate(nil, 1, 7, false, true)),
		foreign("Immediate Data with Solicited Event", iwarp.AppendImmediate(nil, 1, 7, true, true)),
		foreign("Atomic Response", iwarp.AppendAtomicResponse(nil, 1, iwarp.AtomicResponse{ID: 1}, true)),
		badCase{row: 27, name: "Atomic Request of a peer that is not known to have it", want: want, data: func(x *exchange) []byte {
			return fetchAdd(1, x.m().all.stag(), x.m().all.to(0))
		}},
	)
	for _, op := range []iwarp.Opcode{iwarp.OpWrite, iwarp.OpReadResponse} {
		for qn := uint32(0); qn < 4; qn++ {
			data := edit(edit(send(1, "hello"), opcode(op)), queueNumber(qn))
			cases = append(cases, fixed(28, fmt.Sprintf("%v, untagged, queue %d", op, qn), want, data))
		}
	}
	for _, op := range []iwarp.Opcode{iwarp.OpReadRequest, iwarp.OpSend, iwarp.OpSendInv, iwarp.OpSendSE, iwarp.OpSendSEInv, iwarp.OpTerminate} {
		cases = append(cases, onSTag(29, op))
	}
	return cases
}

// fetchAdd is an Atomic Request that adds one.
func fetchAdd(msn iwarp.MSN, stag iwarp.STag, to uint64) []byte {
	return iwarp.AppendAtomicRequest(nil, msn, &iwarp.AtomicRequest{
		Op: iwarp.AtomicFetchAdd, ID: 0x1234, STag: stag, TO: iwarp.TO(to), Operand: 1,
	}, true)
}
