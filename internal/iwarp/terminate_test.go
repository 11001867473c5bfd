package iwarp_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/godapl/godapl/internal/iwarp"
)

// The control word in both forms. A row without siw is in the RFC's form.
func TestTerminateForms(t *testing.T) {
	for _, c := range []struct {
		raw     string
		startup bool
		cause   iwarp.Cause
		siw     bool
	}{
		// The RFC's form: with flags, and without.
		{raw: "\x01\x02\xe0\x00", cause: iwarp.CauseProtAccess},
		{raw: "\x12\x05\xc0\x00", cause: iwarp.CauseUntaggedLong},
		{raw: "\x20\x02\x00\x00", cause: iwarp.CauseMPACRC},
		{raw: "\x20\x02\x00\x00", cause: iwarp.CauseMPACRC, startup: true},
		{raw: "\x20\x03\x00\x00", cause: iwarp.CauseMPAMarker},
		{raw: "\x00\x00\x00\x00", cause: iwarp.CauseRDMAPLocal},
		{raw: "\x10\x00\x00\x00", cause: iwarp.CauseDDPLocal},
		{raw: "\x02\x05\x00\x00", cause: iwarp.CauseOpVersion},
		{raw: "\x02\x08\x00\x00", cause: iwarp.CauseOpGlobal},
		{raw: "\x01\x00\x00\x00", cause: iwarp.CauseProtSTag},

		// The form of siw: flags at the low end decide.
		{raw: "\x11\x00\x03\x00", cause: iwarp.CauseTaggedSTag, siw: true},
		{raw: "\x21\x02\x03\x00", cause: iwarp.CauseUntaggedNoBuffer, siw: true},
		{raw: "\x10\x02\x07\x00", cause: iwarp.CauseProtAccess, siw: true},
		{raw: "\x20\x07\x03\x00", cause: iwarp.CauseOpStream, siw: true},
		{raw: "\x20\x07\x03\x00", cause: iwarp.CauseOpStream, siw: true, startup: true},
		{raw: "\x02\x06\x01\x00", cause: iwarp.CauseMPAIRD, siw: true},
		{raw: "\x90\x77\x02\x00", cause: 0x0977, siw: true}, // an unknown cause

		// Without flags: the reading that is known.
		{raw: "\x02\x02\x00\x00", cause: iwarp.CauseMPACRC, siw: true},
		{raw: "\x02\x03\x00\x00", cause: iwarp.CauseMPAMarker, siw: true},
		{raw: "\x02\x04\x00\x00", cause: iwarp.CauseMPAFrame, siw: true},
		{raw: "\x20\x08\x00\x00", cause: iwarp.CauseOpGlobal, siw: true},
		{raw: "\x20\x09\x00\x00", cause: iwarp.CauseOpInvalidate, siw: true},
		{raw: "\x10\x03\x00\x00", cause: iwarp.CauseProtStream, siw: true},
		{raw: "\x21\x03\x00\x00", cause: iwarp.CauseUntaggedMSN, siw: true},
		{raw: "\x21\x03\xc0\x00", cause: iwarp.CauseUntaggedMSN, siw: true}, // flags in the RFC's position, nibbles swapped

		// Known in both forms: an error of start-up in one, another error in the other.
		{raw: "\x02\x06\x00\x00", cause: iwarp.CauseOpUnexpected},
		{raw: "\x02\x06\x00\x00", cause: iwarp.CauseMPAIRD, siw: true, startup: true},
		{raw: "\x02\x07\x00\x00", cause: iwarp.CauseOpStream},
		{raw: "\x02\x07\x00\x00", cause: iwarp.CauseMPARTR, siw: true, startup: true},
		{raw: "\x02\x05\x00\x00", cause: iwarp.CauseOpVersion, startup: true},
		{raw: "\x20\x05\x00\x00", cause: iwarp.CauseOpVersion, siw: true},
		{raw: "\x20\x05\x00\x00", cause: iwarp.CauseMPALocal, startup: true},
		{raw: "\x20\x06\x00\x00", cause: iwarp.CauseOpUnexpected, siw: true},
		{raw: "\x20\x06\x00\x00", cause: iwarp.CauseMPAIRD, startup: true},
		{raw: "\x20\x07\x00\x00", cause: iwarp.CauseOpStream, siw: true},
		{raw: "\x20\x07\x00\x00", cause: iwarp.CauseMPARTR, startup: true},
		// Flags in the RFC's position decide.
		{raw: "\x02\x06\xc0\x00", cause: iwarp.CauseOpUnexpected, startup: true},
		{raw: "\x20\x06\x80\x00", cause: iwarp.CauseMPAIRD},
		{raw: "\x12\x02\xc3\x00", cause: iwarp.CauseUntaggedNoBuffer},

		// Known in neither form, and reserved bits.
		{raw: "\xff\xff\x00\x00", cause: 0xffff},
		{raw: "\x31\x00\x00\x00", cause: 0x3100},
		{raw: "\x20\x02\x18\xff", cause: iwarp.CauseMPACRC},
	} {
		name := fmt.Sprintf("% x, startup %v", c.raw, c.startup)
		var m iwarp.Terminate
		body := append([]byte(c.raw), make([]byte, 60)...)
		if err := iwarp.ParseTerminate(body, c.startup, &m); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if m.Cause != c.cause || m.SIW != c.siw {
			t.Errorf("%s: %v, siw %v; want %v, %v", name, m.Cause, m.SIW, c.cause, c.siw)
		}
		if string(m.Raw[:]) != c.raw {
			t.Errorf("%s: raw % x", name, m.Raw)
		}
	}
}

// Every cause that siw can send in its form is understood: the test derives it from the
// bytes of siw's bit-field on a little-endian machine.
func TestTerminateOfSIW(t *testing.T) {
	for _, cause := range causes() {
		for parts := byte(1); parts < 8; parts++ {
			raw := []byte{byte(cause.EType())<<4 | byte(cause.Layer()), cause.Code(), parts, 0}
			var m iwarp.Terminate
			body := append(raw, make([]byte, 60)...)
			if err := iwarp.ParseTerminate(body, false, &m); err != nil || m.Cause != cause || !m.SIW {
				t.Errorf("%v with parts %d: %v, %v", cause, parts, m.Cause, err)
			}
			if m.HasLength != (parts&1 != 0) || (m.DDP != nil) != (parts&2 != 0) || (m.ReadRequest != nil) != (parts&4 != 0) {
				t.Errorf("%v with parts %d: %+v", cause, parts, m)
			}
		}
	}
}

// A truncated Terminate is still a Terminate: the cause counts, the missing part is
// omitted.
func TestTerminateTruncated(t *testing.T) {
	full := vector(t, "term_rdmap_protection_read")[iwarp.UntaggedHeaderSize:]
	for n := range len(full) + 1 {
		m := iwarp.Terminate{SegmentLength: 99}
		err := iwarp.ParseTerminate(full[:n], false, &m)
		if n < 4 {
			if err != iwarp.ErrTerminateShort || m.SegmentLength != 99 {
				t.Errorf("%d bytes: %v, %+v", n, err, m)
			}
			continue
		}
		if err != nil || m.Cause != iwarp.CauseProtAccess {
			t.Fatalf("%d bytes: %v, %v", n, m.Cause, err)
		}
		if m.HasLength != (n >= 6) || (m.DDP != nil) != (n >= 24) || (m.ReadRequest != nil) != (n >= 52) || m.Truncated != (n < 52) {
			t.Errorf("%d bytes: %+v", n, m)
		}
		if cap(m.DDP) != len(m.DDP) || cap(m.ReadRequest) != len(m.ReadRequest) {
			t.Errorf("%d bytes: the parts give away what is behind them", n)
		}
	}
}

// Which parts go with which cause, and that payload never does.
func TestNewTerminate(t *testing.T) {
	read, send, write := vector(t, "read_req"), vector(t, "send_5"), vector(t, "write_5")
	atomic := vector(t, "atomic_fetchadd")
	tagged := bytes.Clone(read) // looks like a Read Request, but for the flag
	tagged[0] = 0xc1
	for _, c := range []struct {
		cause iwarp.Cause
		ulpdu []byte
		size  int // of the message's body
	}{
		{iwarp.CauseMPACRC, send, 4},
		{iwarp.CauseMPAMarker, write, 4},
		{iwarp.CauseRDMAPLocal, read, 4},
		{iwarp.CauseDDPLocal, write, 4},
		{iwarp.CauseOpVersion, send, 4},
		{iwarp.CauseTaggedVersion, write, 4},
		{iwarp.CauseUntaggedVersion, send, 4},
		{iwarp.CauseTaggedSTag, write, 20},
		{iwarp.CauseTaggedWrap, write, 20},
		{iwarp.CauseProtAccess, write, 20},
		{iwarp.CauseUntaggedNoBuffer, send, 24},
		{iwarp.CauseUntaggedNoBuffer, read, 24},
		{iwarp.CauseOpUnexpected, send, 24},
		{iwarp.CauseOpUnexpected, write, 20},
		{iwarp.CauseOpInvalidate, send, 24},
		{iwarp.CauseProtInvalidate, send, 24},
		{iwarp.CauseProtSTag, read, 52},
		{iwarp.CauseProtBounds, read, 52},
		{iwarp.CauseProtAccess, atomic, 24},
		{iwarp.CauseOpStream, atomic, 24},
		{iwarp.CauseOpStream, read, 24},
		{iwarp.CauseTaggedSTag, read, 24},
		{iwarp.CauseProtAccess, tagged, 20},
		// The ULPDU ends within its header.
		{iwarp.CauseUntaggedQN, send[:17], 4},
		{iwarp.CauseTaggedSTag, write[:13], 4},
		{iwarp.CauseTaggedSTag, write[:1], 4},
		{iwarp.CauseTaggedSTag, nil, 4},
		{iwarp.CauseProtSTag, read[:45], 24},
	} {
		m := iwarp.NewTerminate(c.cause, c.ulpdu, 1000)
		b := m.AppendBody(nil)
		if len(b) != c.size {
			t.Errorf("%v about %d bytes: body of %d, want %d", c.cause, len(c.ulpdu), len(b), c.size)
			continue
		}
		if b[0] != byte(c.cause>>8) || b[1] != byte(c.cause) {
			t.Errorf("%v: begins with % x", c.cause, b[:2])
		}
		if c.size > 4 && (b[4] != 1000>>8 || b[5] != 1000&0xff || !bytes.Equal(b[6:], c.ulpdu[:c.size-6])) {
			t.Errorf("%v: %x is not the beginning of %x", c.cause, b[4:], c.ulpdu)
		}
		if want := map[int]byte{4: 0, 20: 0xc0, 24: 0xc0, 52: 0xe0}[c.size]; b[2] != want || b[3] != 0 {
			t.Errorf("%v: header flags % x, want %x", c.cause, b[2:4], want)
		}
	}
}

func TestTerminateString(t *testing.T) {
	var m iwarp.Terminate
	if err := iwarp.ParseTerminate([]byte{0x01, 0x02, 0, 0}, false, &m); err != nil {
		t.Fatal(err)
	}
	if got := m.String(); got != "RDMAP remote protection: access rights violation (0/1/0x02)" {
		t.Error(got)
	}
}

// The header in a Terminate tells which request it refers to.
func TestTerminateAbout(t *testing.T) {
	for name, want := range map[string]struct {
		op  iwarp.Opcode
		msn iwarp.MSN
	}{"read_req": {iwarp.OpReadRequest, 1}, "atomic_fetchadd": {iwarp.OpAtomicRequest, 1}, "send_5": {}, "write_5": {}} {
		ulpdu := vector(t, name)
		if want.op != 0 {
			want.msn = iwarp.MSN(binary.BigEndian.Uint32(ulpdu[10:]))
		}
		for _, cause := range causes() {
			sent := iwarp.NewTerminate(cause, ulpdu, len(ulpdu))
			var m iwarp.Terminate
			if err := iwarp.ParseTerminate(sent.AppendBody(nil), false, &m); err != nil {
				t.Fatal(err)
			}
			op, msn, ok := m.About()
			if ok != (want.op != 0 && sent.DDP != nil) || ok && (op != want.op || msn != want.msn) {
				t.Errorf("%v about %s: %v %d, %v", cause, name, op, msn, ok)
			}
		}
	}
}
