package peers_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/iwarp"
)

// Replies that make no connection: rows 3 to 7, 9, 13 and 14 for the initiator.

// A badReply is a peer's answer to this side's request.
type badReply struct {
	row  int
	name string
	data []byte
	want string // the reaction
	code hca.Code
}

func badReplies(t testing.TB) (cases []badReply) {
	good := replyBytes(t, initiator.frame)
	changed := func(row int, name string, change func(b []byte)) {
		b := slices.Clone(good)
		change(b)
		cases = append(cases, badReply{row, name, b, "close", hca.Refused})
	}
	for i := range iwarp.KeySize {
		changed(3, fmt.Sprintf("letter %d of the key", i), func(b []byte) { b[i] ^= 0x20 })
	}
	changed(4, "key of a request", func(b []byte) { copy(b, "MPA ID Req Frame") })
	for _, rev := range []byte{0, 3, 4, 255} {
		changed(5, fmt.Sprintf("revision %d", rev), func(b []byte) { b[17] = rev })
	}
	for _, n := range []int{513, 0x7fff, 65535} {
		changed(7, fmt.Sprintf("%d bytes of private data announced", n), func(b []byte) { b[18], b[19] = byte(n>>8), byte(n) })
	}
	for n := range iwarp.EnhancedSize {
		b := slices.Concat(good[:iwarp.FrameHeaderSize], make([]byte, n))
		b[19] = byte(n)
		cases = append(cases, badReply{9, fmt.Sprintf("enhanced, with %d bytes", n), b, "close", hca.Refused})
	}
	answer := func(row int, name, want string, f iwarp.Frame) {
		cases = append(cases, badReply{row, name, replyBytes(t, f), want, hca.Refused})
	}
	for _, ord := range []iwarp.Depth{129, 1000, 0x3ffe} {
		answer(13, fmt.Sprintf("ORD %d", ord), "2/0/0x06", enhanced(iwarp.RTRWrite, 16, ord))
	}
	answer(14, "no first frame", "2/0/0x07", enhanced(0, 16, 16))
	answer(14, "a first frame that was not offered", "2/0/0x07", enhanced(iwarp.RTRSend, 16, 16))
	answer(14, "two first frames", "2/0/0x07", enhanced(iwarp.RTRWrite|iwarp.RTRRead, 16, 16))
	answer(13, "a Read first, and an IRD of 0", "2/0/0x06 2/0/0x07", enhanced(iwarp.RTRRead, 0, 16))
	f := enhanced(0, 16, 16)
	f.PeerToPeer = false
	answer(14, "not the peer-to-peer model", "2/0/0x07", f)
	return append(cases, badReply{3, "another protocol", []byte("HTTP/1.1 400 Bad Request\r\n\r\n"), "close", hca.Refused})
}

func TestBadReplies(t *testing.T) {
	t.Parallel()
	s := newStation(t, hca.Options{})
	for _, c := range badReplies(t) {
		t.Run(fmt.Sprintf("%d %s", c.row, c.name), func(t *testing.T) {
			h := listen(t)
			e := s.endpoint(t, depths{4, 4})
			e.recv(16)
			result := e.connect(h.address(), nil)
			p := h.accept()
			p.takeRequest()
			p.write(c.data)
			p.end().one(t, c.want)
			p.conn.Close() // this side waits for that, or a little
			if err := e.failed(result); !errors.Is(err, c.code) {
				t.Errorf("connecting failed with %v, want %v", err, c.code)
			}
		})
	}
	s.bystander(t)
}

// Replies that are odd, and still to be accepted: rows 10, 11, 13.
func TestOddReplies(t *testing.T) {
	t.Parallel()
	s := newStation(t, hca.Options{})
	try := func(name string, f iwarp.Frame, change func(b []byte), private string, depth int) {
		t.Run(name, func(t *testing.T) {
			h := listen(t)
			e := s.endpoint(t, depths{4, 4})
			result := e.connect(h.address(), []byte("hello"))
			p := h.accept()
			if req := p.takeRequest(); string(req.Private) != "hello" {
				t.Errorf("the request is %+v", req)
			}
			b := replyBytes(t, f)
			change(b)
			p.write(b)
			info := e.established(result)
			if string(info.Private) != private || info.ReadsOut != depth {
				t.Errorf("connected with %+v, want private data %q and %d reads out", info, private, depth)
			}
			if f.RTR == iwarp.RTRWrite {
				p.want(iwarp.OpWrite)
			}
			(&exchange{t, e, p}).alive()
		})
	}
	same := func([]byte) {}
	with := func(f iwarp.Frame, private string) iwarp.Frame { f.Private = []byte(private); return f }
	block := "\x80\x10\xc0\x10private"
	try("revision 1 with the flag of revision 2", with(plain1, block), func(b []byte) { b[16] |= 0x10 }, block, 4)
	try("revision 2 without the flag", iwarp.Frame{Revision: iwarp.Revision2, Private: []byte(block)}, same, block, 4)
	try("508 bytes of private data", with(initiator.frame, strings.Repeat("x", 508)), same, strings.Repeat("x", 508), 4)
	try("no CRC", iwarp.Frame{Revision: iwarp.Revision2, Enhanced: true, PeerToPeer: true, RTR: iwarp.RTRWrite, IRD: 8, ORD: 8}, same, "", 4)
	for flags := byte(1); flags < 16; flags <<= 1 {
		try(fmt.Sprintf("reserved flags %#x", flags), with(initiator.frame, "welcome"), func(b []byte) { b[16] |= flags }, "welcome", 4)
	}
	for ird, depth := range map[iwarp.Depth]int{0: 0, 1: 1, 3: 3, 128: 4, 0x3ffe: 4, 0x3fff: 4} {
		try(fmt.Sprintf("IRD %d", ird), enhanced(iwarp.RTRWrite, ird, 4), same, "", depth)
	}
	for _, ord := range []iwarp.Depth{0, 1, 5, 128, 0x3fff} {
		try(fmt.Sprintf("ORD %d", ord), enhanced(iwarp.RTRWrite, 4, ord), same, "", 4)
	}
	s.bystander(t)
}

// Row 15: bytes behind a complete reply.
func TestSecondReply(t *testing.T) {
	t.Parallel()
	s := newStation(t, hca.Options{})
	reject := initiator.frame
	reject.Reject, reject.Private = true, []byte("no")
	for name, second := range map[string][]byte{
		"accept": replyBytes(t, initiator.frame), "reject": replyBytes(t, reject), "FPDU": write(1, 0, ""),
	} {
		t.Run("behind a reject: "+name, func(t *testing.T) {
			h := listen(t)
			e := s.endpoint(t, depths{4, 4})
			e.recv(16)
			result := e.connect(h.address(), nil)
			p := h.accept()
			p.takeRequest()
			p.write(replyBytes(t, reject), second, write(e.mem.all.stag(), e.mem.all.to(0), "hello"))
			p.closed(t)
			var he *hca.Error
			if err := e.failed(result); !errors.As(err, &he) || he.Code != hca.Rejected || string(he.Private) != "no" {
				t.Errorf("connecting failed with %v, want a reject with its private data", err)
			}
		})
		if name == "FPDU" {
			continue
		}
		t.Run("behind an accept: "+name, func(t *testing.T) {
			e, p := s.open(t, initiator, depths{4, 4})
			e.recv(16)
			// It looks like the beginning of a long FPDU.
			p.write(second)
			p.fin()
			p.end().one(t, "close")
			e.over(hca.EventBroken)
			e, p = s.open(t, initiator, depths{4, 4})
			e.recv(16)
			p.write(second, make([]byte, 1<<15))
			p.end().one(t, "close 2/0/0x02")
			e.over(hca.EventBroken)
		})
	}
	s.bystander(t)
}
