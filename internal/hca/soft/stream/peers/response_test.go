package peers_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/iwarp"
)

// Read Responses that answer no read of this side: rows 57 to 60.

func TestReadResponses(t *testing.T) { runCases(t, responseCases()) }

// A wantedRead is a read that this side has posted and the peer has received.
type wantedRead struct {
	id uint64
	iwarp.ReadRequest
}

// wanted posts a read of n bytes into the sink, and takes the request at the peer.
func (x *exchange) wanted(i, n int) wantedRead {
	x.t.Helper()
	if x.p.silent {
		x.p.silent = false
		x.p.write(write(1, 0, ""))
	}
	w := wantedRead{id: x.e.readAt(i, n)}
	s := x.p.want(iwarp.OpReadRequest)
	if err := iwarp.ParseReadRequest(s.Payload, &w.ReadRequest); err != nil || int(w.Size) != n {
		x.t.Fatalf("the request is %+v, %v; want %d bytes", w, err, n)
	}
	return w
}

func (w wantedRead) answer(payload string) []byte {
	return response(w.SinkSTag, uint64(w.SinkTO), payload)
}

// part is a segment of the response, at offset off.
func (w wantedRead) part(off int, payload string, last bool) []byte {
	return tagged(iwarp.OpReadResponse, w.SinkSTag, uint64(w.SinkTO)+uint64(off), payload, last)
}

// answering is a case in which this side reads 16 bytes, and behind that 8.
func answering(row int, name, want string, data func(x *exchange, w wantedRead) []byte) badCase {
	return badCase{row: row, name: name, want: want, idle: true, data: func(x *exchange) []byte {
		w := x.wanted(0, 16)
		x.wanted(32, 8)
		x.e.ledger.allow(w.id, hca.StatusBadResponse)
		x.may(x.m().sink, 0, 16)
		return data(x, w)
	}}
}

func responseCases() []badCase {
	const any = "1/1/0x00 1/1/0x01"
	eight := "abcdefgh"
	return []badCase{
		fixedIdle(57, "none is under way", "0/2/0x06 1/1/0x00", response(0xaabbcc01, 0x1000, "hello")),
		fixedIdle(57, "none is under way, empty", "0/2/0x06 1/1/0x00", response(0xaabbcc01, 0x1000, "")),
		{
			row: 57, name: "none is under way, for a good STag", want: "0/2/0x06 1/1/0x00", idle: true,
			data: func(x *exchange) []byte { return response(x.m().all.stag(), x.m().all.to(0), "hello") },
		},
		{
			row: 57, name: "one more than was asked for", want: "0/2/0x06 1/1/0x00", idle: true,
			data: func(x *exchange) []byte {
				w := x.wanted(0, 8)
				x.e.ledger.allow(w.id, hca.StatusOK)
				x.may(x.m().sink, 0, 8)
				return slices.Concat(w.answer(eight), w.answer("ABCDEFGH"))
			},
			check: func(x *exchange, _ ending) { x.m().holds(x.t, x.m().sink.span(0, 8), eight) },
		},
		{
			// The bytes before the mistake were right, and the read completes.
			row: 58, name: "wrong TO, behind a good answer", want: any, idle: true,
			data: func(x *exchange) []byte {
				first, second := x.wanted(0, 8), x.wanted(32, 8)
				x.wanted(64, 8)
				x.e.ledger.allow(first.id, hca.StatusOK)
				x.e.ledger.allow(second.id, hca.StatusBadResponse)
				x.may(x.m().sink, 0, 8)
				return slices.Concat(first.answer(eight), response(second.SinkSTag, uint64(second.SinkTO)+1, eight))
			},
		},
		answering(58, "wrong STag", any, func(x *exchange, w wantedRead) []byte {
			return response(w.SinkSTag^1, uint64(w.SinkTO), eight+eight)
		}),
		answering(58, "STag of good memory", any, func(x *exchange, w wantedRead) []byte {
			return response(x.m().all.stag(), x.m().all.to(0), eight+eight)
		}),
		answering(58, "wrong TO", any, func(x *exchange, w wantedRead) []byte {
			return response(w.SinkSTag, uint64(w.SinkTO)+1, eight+eight)
		}),
		answering(58, "gap", any, func(x *exchange, w wantedRead) []byte {
			return slices.Concat(w.part(0, eight, false), w.part(9, eight[1:], true))
		}),
		answering(58, "overlap", any, func(x *exchange, w wantedRead) []byte {
			return slices.Concat(w.part(0, eight, false), w.part(7, eight+"x", true))
		}),
		answering(58, "in the wrong order", any, func(x *exchange, w wantedRead) []byte {
			return slices.Concat(w.part(8, eight, false), w.part(0, eight, true))
		}),
		answering(58, "of the read behind it", any, func(x *exchange, w wantedRead) []byte {
			return response(w.SinkSTag+1, 0, eight)
		}),
		answering(59, "too long", any, func(x *exchange, w wantedRead) []byte { return w.answer(eight + eight + "x") }),
		answering(59, "far too long", any, func(x *exchange, w wantedRead) []byte { return w.answer(strings.Repeat("x", 60000)) }),
		answering(59, "too long in its second segment", any, func(x *exchange, w wantedRead) []byte {
			return slices.Concat(w.part(0, eight, false), w.part(8, eight+"x", true))
		}),
		answering(59, "too short", any, func(x *exchange, w wantedRead) []byte { return w.answer(eight) }),
		answering(59, "empty", any, func(x *exchange, w wantedRead) []byte { return w.answer("") }),
		answering(59, "last flag too late", any, func(x *exchange, w wantedRead) []byte {
			return slices.Concat(w.part(0, eight+eight, false), w.part(16, "", true))
		}),
		{
			row: 60, name: "the memory was freed meanwhile", idle: true,
			// This side's own failure, whatever its number.
			want: "close 0/0/0x00 0/2/0x07",
			data: func(x *exchange) []byte {
				w := x.wanted(0, 16)
				x.e.ledger.allow(w.id, hca.StatusLocalProtection)
				if err := x.m().sink.Close(); err != nil {
					x.t.Error(err)
				}
				return w.answer(eight + eight)
			},
		},
		{
			row: 60, name: "the memory was freed between two segments", idle: true, want: "close 0/0/0x00 0/2/0x07",
			data: func(x *exchange) []byte {
				w := x.wanted(0, 16)
				x.e.ledger.allow(w.id, hca.StatusLocalProtection)
				x.may(x.m().sink, 0, 8)
				x.p.write(w.part(0, eight, false), send(1, "")) // the Send shows that the first has arrived
				x.e.received()
				if err := x.m().sink.Close(); err != nil {
					x.t.Error(err)
				}
				return w.part(8, eight, true)
			},
		},
	}
}
