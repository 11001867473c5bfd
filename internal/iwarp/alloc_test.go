package iwarp_test

import (
	"testing"

	"github.com/godapl/godapl/internal/iwarp"
	"github.com/godapl/godapl/internal/iwarp/iwarptest"
)

func noAllocs(t *testing.T, what string, f func()) {
	t.Helper()
	if n := testing.AllocsPerRun(100, f); n != 0 {
		t.Errorf("%s: %v allocations", what, n)
	}
}

func TestParsersDoNotAllocate(t *testing.T) {
	var (
		s  iwarp.Segment
		f  iwarp.Frame
		r  iwarp.ReadRequest
		m  iwarp.Terminate
		a  iwarp.AtomicRequest
		p  iwarp.AtomicResponse
		to = make([]byte, 0, 2048)
	)
	body := func(b []byte) {
		_ = iwarp.ParseReadRequest(b, &r)
		_ = iwarp.ParseTerminate(b, true, &m)
		_ = iwarp.ParseAtomicRequest(b, &a)
		_ = iwarp.ParseAtomicResponse(b, &p)
		_, _ = iwarp.ParseImmediate(b)
	}
	for _, v := range iwarptest.FPDUs() {
		noAllocs(t, v.Name, func() {
			ulpdu, _, _, _ := iwarp.ParseFPDU(v.Wire, !v.NoCRC)
			if err := iwarp.ParseSegment(ulpdu, &s); err != nil {
				t.Fatal(err)
			}
			body(s.Payload)
		})
	}
	for _, v := range iwarptest.Malformed() {
		noAllocs(t, v.Name, func() {
			if v.Request {
				_, _, _ = iwarp.ParseRequest(v.Wire, &f)
				return
			}
			_, _, _, _ = iwarp.ParseFPDU(v.Wire, true)
			ulpdu, _, _, _ := iwarp.ParseFPDU(v.Wire, false)
			_ = iwarp.ParseSegment(ulpdu, &s)
			body(ulpdu)
		})
	}
	for _, v := range iwarptest.Frames() {
		noAllocs(t, v.Name, func() { _, _, _ = parserOf(v.Reply)(v.Wire, &f) })
	}
	for _, v := range iwarptest.MarkedStreams() {
		noAllocs(t, v.Name, func() { _, _, _, _ = iwarp.ParseMarked(to, v.Wire, 0, true) })
	}
}

func TestEncodersDoNotAllocate(t *testing.T) {
	to, marked := make([]byte, 0, 2048), make([]byte, 0, 2048)
	for _, v := range iwarptest.FPDUs() {
		s := &v.Segment
		noAllocs(t, v.Name, func() {
			var b []byte
			if s.Tagged {
				b = iwarp.AppendTagged(to, iwarp.TaggedHeader{Op: s.Op, STag: s.STag, TO: s.TO}, s.Payload, true)
			} else {
				b = iwarp.AppendUntagged(to, untagged(s), s.Payload, true)
			}
			iwarp.AppendMarked(marked, 508, b, true)
			iwarp.AppendTrailer(b, s.Len, iwarp.UpdateCRC(0, b), true)
		})
	}
	ulpdu := vector(t, "read_req")
	a := iwarp.AtomicRequest{}
	noAllocs(t, "messages", func() {
		m := iwarp.NewTerminate(iwarp.CauseProtAccess, ulpdu, len(ulpdu))
		b := iwarp.AppendTerminate(to, &m, true)
		b = iwarp.AppendReadRequest(b, 1, iwarp.ReadRequest{}, true)
		b = iwarp.AppendAtomicRequest(b, 1, &a, true)
		b = iwarp.AppendAtomicResponse(b, 1, iwarp.AtomicResponse{}, true)
		iwarp.AppendImmediate(b, 1, 2, true, true)
	})
	for _, v := range iwarptest.Frames() {
		noAllocs(t, v.Name, func() { _, _ = iwarp.AppendReply(to, &v.Frame) })
	}
}
