package iwarp_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/godapl/godapl/internal/iwarp"
)

// causes returns the causes that have a name.
func causes() []iwarp.Cause {
	var known []iwarp.Cause
	for c := range 1 << 16 {
		if c := iwarp.Cause(c); c.Known() {
			known = append(known, c)
		}
	}
	return known
}

func TestCauseText(t *testing.T) {
	for c, want := range map[iwarp.Cause]string{
		iwarp.CauseRDMAPLocal:       "RDMAP local catastrophic (0/0/0x00)",
		iwarp.CauseProtSTag:         "RDMAP remote protection: invalid STag (0/1/0x00)",
		iwarp.CauseProtBounds:       "RDMAP remote protection: base or bounds violation (0/1/0x01)",
		iwarp.CauseProtAccess:       "RDMAP remote protection: access rights violation (0/1/0x02)",
		iwarp.CauseProtStream:       "RDMAP remote protection: STag not associated with the stream (0/1/0x03)",
		iwarp.CauseProtWrap:         "RDMAP remote protection: TO wrap (0/1/0x04)",
		iwarp.CauseProtInvalidate:   "RDMAP remote protection: STag cannot be invalidated (0/1/0x09)",
		iwarp.CauseProtUnspecified:  "RDMAP remote protection: unspecified error (0/1/0xff)",
		iwarp.CauseOpVersion:        "RDMAP remote operation: invalid RDMAP version (0/2/0x05)",
		iwarp.CauseOpUnexpected:     "RDMAP remote operation: unexpected opcode (0/2/0x06)",
		iwarp.CauseOpStream:         "RDMAP remote operation: catastrophic error of the stream (0/2/0x07)",
		iwarp.CauseOpGlobal:         "RDMAP remote operation: catastrophic error of all streams (0/2/0x08)",
		iwarp.CauseOpInvalidate:     "RDMAP remote operation: STag cannot be invalidated (0/2/0x09)",
		iwarp.CauseOpUnspecified:    "RDMAP remote operation: unspecified error (0/2/0xff)",
		iwarp.CauseDDPLocal:         "DDP local catastrophic (1/0/0x00)",
		iwarp.CauseTaggedSTag:       "DDP tagged buffer: invalid STag (1/1/0x00)",
		iwarp.CauseTaggedBounds:     "DDP tagged buffer: base or bounds violation (1/1/0x01)",
		iwarp.CauseTaggedStream:     "DDP tagged buffer: STag not associated with the stream (1/1/0x02)",
		iwarp.CauseTaggedWrap:       "DDP tagged buffer: TO wrap (1/1/0x03)",
		iwarp.CauseTaggedVersion:    "DDP tagged buffer: invalid DDP version (1/1/0x04)",
		iwarp.CauseUntaggedQN:       "DDP untagged buffer: invalid QN (1/2/0x01)",
		iwarp.CauseUntaggedNoBuffer: "DDP untagged buffer: invalid MSN, no buffer available (1/2/0x02)",
		iwarp.CauseUntaggedMSN:      "DDP untagged buffer: invalid MSN, out of range (1/2/0x03)",
		iwarp.CauseUntaggedMO:       "DDP untagged buffer: invalid MO (1/2/0x04)",
		iwarp.CauseUntaggedLong:     "DDP untagged buffer: message too long for the buffer (1/2/0x05)",
		iwarp.CauseUntaggedVersion:  "DDP untagged buffer: invalid DDP version (1/2/0x06)",
		iwarp.CauseMPAClosed:        "MPA: connection lost (2/0/0x01)",
		iwarp.CauseMPACRC:           "MPA: CRC mismatch (2/0/0x02)",
		iwarp.CauseMPAMarker:        "MPA: marker and length field disagree (2/0/0x03)",
		iwarp.CauseMPAFrame:         "MPA: invalid request or reply frame (2/0/0x04)",
		iwarp.CauseMPALocal:         "MPA: local catastrophic (2/0/0x05)",
		iwarp.CauseMPAIRD:           "MPA: insufficient IRD (2/0/0x06)",
		iwarp.CauseMPARTR:           "MPA: no matching RTR (2/0/0x07)",
		0x1117:                      "DDP tagged buffer: unknown error (1/1/0x17)",
		0x0300:                      "RDMAP: unknown error (0/3/0x00)",
		0x1300:                      "DDP: unknown error (1/3/0x00)",
		0x2101:                      "LLP: unknown error (2/1/0x01)",
		0xffff:                      "unknown layer: unknown error (15/15/0xff)",
	} {
		if got := c.String(); got != want {
			t.Errorf("%04x is %q, want %q", uint16(c), got, want)
		}
		if c.Known() == strings.Contains(want, "unknown") {
			t.Errorf("%s: known %v", want, c.Known())
		}
		if iwarp.MakeCause(c.Layer(), c.EType(), c.Code()) != c || c.Error() != want {
			t.Errorf("%s does not survive being taken apart", want)
		}
	}
	if n := len(causes()); n != 33 {
		t.Errorf("%d causes have a name", n)
	}
}

func TestParseErrorTable(t *testing.T) {
	texts := map[string]iwarp.ParseError{}
	for e := iwarp.ErrKey; e <= iwarp.ErrAtomicAlign; e++ {
		what, cause := e.Reaction()
		if what == iwarp.ReactTerminate && !cause.Known() || what != iwarp.ReactTerminate && cause != 0 {
			t.Errorf("%v: reaction %d with %v", e, what, cause)
		}
		if other, ok := texts[e.Error()]; ok || !strings.HasPrefix(e.Error(), "iwarp: ") || strings.Contains(e.Error(), "no error") {
			t.Errorf("%d has the text %q, which %d has too or which says nothing", e, e.Error(), other)
		}
		texts[e.Error()] = e
	}
	var err error = iwarp.ErrCRC
	if !errors.Is(err, iwarp.ErrCRC) || errors.Is(err, iwarp.ErrMO) {
		t.Error("errors.Is does not tell them apart")
	}
	for _, e := range []iwarp.ParseError{0, iwarp.ErrAtomicAlign + 1, 255} {
		if what, cause := e.Reaction(); what != iwarp.ReactClose || cause != 0 || e.Error() != "iwarp: no error" {
			t.Errorf("%d, which is no error: %v, reaction %d, %v", e, e, what, cause)
		}
	}
}
