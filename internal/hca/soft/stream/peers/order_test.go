package peers_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/iwarp"
)

// Sends that are out of order, too long, or without a receive: rows 32, 33 and 35 to 41.

func TestSends(t *testing.T) {
	runCases(t, slices.Concat(msnCases(), moCases(), longCases(), changeCases()))
}

func msnCases() (cases []badCase) {
	for _, msn := range []iwarp.MSN{0, 2, 3, 0x80000001, 0xffffffff} {
		cases = append(cases, fixed(32, fmt.Sprintf("first Send has MSN %d", msn), "1/2/0x03", send(msn, "hello")))
	}
	for _, msn := range []iwarp.MSN{0, 1, 3, 0xffffffff} {
		cases = append(cases, badCase{
			row: 33, name: fmt.Sprintf("MSN %d behind 1", msn), want: "1/2/0x03",
			data: func(x *exchange) []byte {
				x.e.ledger.allow(x.e.recvs[0], hca.StatusOK)
				x.may(x.m().recv, 0, 5)
				return slices.Concat(send(1, "first"), send(msn, "other"))
			},
		})
	}
	for _, msn := range []iwarp.MSN{0, 2, 0xffffffff} {
		cases = append(cases, fixed(33, fmt.Sprintf("first Read Request has MSN %d", msn), "1/2/0x03", readRequest(msn, 1, 0, 0)))
	}
	return append(cases, badCase{
		row: 33, name: "a Read Request comes twice", want: "1/2/0x03",
		data: func(*exchange) []byte { return slices.Concat(readRequest(1, 1, 0, 0), readRequest(1, 1, 0, 0)) },
	})
}

// parts are segments of Send 1 that hold "abcdefgh" at each offset.
func parts(offsets ...iwarp.MO) []byte {
	var b []byte
	for i, mo := range offsets {
		b = append(b, sendPart(iwarp.OpSend, 1, mo, "abcdefgh", i == len(offsets)-1)...)
	}
	return b
}

func moCases() (cases []badCase) {
	for _, mo := range []iwarp.MO{1, 8, 64, 0x10000} {
		cases = append(cases, fixed(35, fmt.Sprintf("first segment at %d", mo), "1/2/0x04", parts(mo)))
	}
	for name, offsets := range map[string][]iwarp.MO{
		"gap": {0, 9}, "overlap": {0, 7}, "twice the same": {0, 0}, "back": {0, 8, 0}, "far ahead": {0, 8, 0xffff0000},
		"below zero": {0, 0xfffffff0},
	} {
		cases = append(cases, badCase{row: 35, name: name, want: "1/2/0x04", data: func(x *exchange) []byte {
			x.may(x.m().recv, 0, 16)
			return parts(offsets...)
		}})
	}
	cases = append(cases,
		fixed(38, "MO and length pass 32 bits", "1/2/0x05", sendPart(iwarp.OpSend, 1, 0xfffffffc, "hello", true)),
		badCase{row: 38, name: "the same behind a first segment", want: "1/2/0x05", data: func(x *exchange) []byte {
			x.may(x.m().recv, 0, 5)
			return slices.Concat(sendPart(iwarp.OpSend, 1, 0, "hello", false), sendPart(iwarp.OpSend, 1, 0xffffffff, "x", true))
		}},
	)
	return cases
}

func longCases() []badCase {
	tooLong := []hca.Status{hca.StatusLocalLength}
	return []badCase{
		{
			row: 36, name: "no receive", want: "1/2/0x02", recvs: []int{},
			data: func(*exchange) []byte { return send(1, "hello") },
		},
		{
			row: 36, name: "no receive for an empty Send", want: "1/2/0x02", recvs: []int{},
			data: func(*exchange) []byte { return send(1, "") },
		},
		{
			row: 36, name: "no second receive", want: "1/2/0x02", recvs: []int{8}, oldest: []hca.Status{hca.StatusOK},
			data: func(x *exchange) []byte {
				x.may(x.m().recv, 0, 8)
				return slices.Concat(send(1, "a"), send(2, "b"))
			},
		},
		{
			row: 37, name: "one byte too long", want: "1/2/0x05", recvs: []int{16, 64}, oldest: tooLong,
			data: func(x *exchange) []byte {
				x.may(x.m().recv, 0, 16)
				return send(1, strings.Repeat("x", 17))
			},
		},
		{
			row: 37, name: "a byte for an empty receive", want: "1/2/0x05", recvs: []int{0, 64}, oldest: tooLong,
			data: func(*exchange) []byte { return send(1, "x") },
		},
		{
			row: 37, name: "one byte too long, in many segments", want: "1/2/0x05", recvs: []int{16, 64}, oldest: tooLong,
			data: func(x *exchange) []byte {
				x.may(x.m().recv, 0, 16)
				var b []byte
				for mo := range iwarp.MO(17) {
					b = append(b, sendPart(iwarp.OpSend, 1, mo, "x", mo == 16)...)
				}
				return b
			},
		},
		{
			row: 37, name: "64 KiB for 16 bytes", want: "1/2/0x05", recvs: []int{16, 64}, oldest: tooLong,
			data: func(x *exchange) []byte {
				x.may(x.m().recv, 0, 16)
				return send(1, strings.Repeat("x", iwarp.UntaggedPayload(iwarp.MaxULPDU)))
			},
		},
	}
}

func changeCases() []badCase {
	begun := func(row int, name, want string, second []byte) badCase {
		return badCase{row: row, name: name, want: want, data: func(x *exchange) []byte {
			x.may(x.m().recv, 0, 16)
			return slices.Concat(sendPart(iwarp.OpSend, 1, 0, "hello", false), second)
		}}
	}
	const want = "0/2/0x06"
	return []badCase{
		begun(39, "Send becomes Send with Solicited Event", want, sendPart(iwarp.OpSendSE, 1, 5, "x", true)),
		begun(39, "Send becomes Send with Invalidate", want, sendInv(iwarp.OpSendInv, 7, 1, 5, "x", true)),
		begun(39, "Send becomes Immediate Data", want, iwarp.AppendImmediate(nil, 1, 7, false, true)),
		{
			row: 39, name: "Write becomes Read Response", want: want,
			data: func(x *exchange) []byte {
				all := x.m().all
				x.may(all, 0, 5)
				return slices.Concat(tagged(iwarp.OpWrite, all.stag(), all.to(0), "hello", false), response(all.stag(), all.to(5), "x"))
			},
		},
		{
			row: 40, name: "the STag to invalidate changes", want: want,
			data: func(x *exchange) []byte {
				x.may(x.m().recv, 0, 16)
				return slices.Concat(sendInv(iwarp.OpSendInv, 7, 1, 0, "hello", false), sendInv(iwarp.OpSendInv, 8, 1, 5, "x", true))
			},
		},
		{
			row: 40, name: "the field changes where it means nothing", want: "accept", recvs: []int{16},
			data: func(x *exchange) []byte {
				x.may(x.m().recv, 0, 16)
				x.p.send++
				return slices.Concat(sendInv(iwarp.OpSend, 7, 1, 0, "hello", false), sendInv(iwarp.OpSend, 8, 1, 5, "x", true))
			},
			check: func(x *exchange, _ ending) {
				if wc := x.e.received(); wc.Len != 6 {
					x.t.Errorf("%d bytes came", wc.Len)
				}
			},
		},
		begun(41, "a second Send begins", "1/2/0x03", send(2, "other")),
		begun(41, "a second Send begins behind an empty segment", "1/2/0x03",
			slices.Concat(sendPart(iwarp.OpSend, 1, 5, "", false), send(2, "other"))),
	}
}
