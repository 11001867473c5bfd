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

// Terminates of the peer: rows 63 to 66. None is ever answered with another.

func TestTerminates(t *testing.T) {
	t.Parallel()
	s := newStation(t, hca.Options{ReceiveWait: -1})
	for _, c := range slices.Concat(terminateForms(), terminateCauses()) {
		for _, r := range roles {
			t.Run(fmt.Sprintf("%d %s/%s", c.row, c.name, r.name), func(t *testing.T) {
				t.Parallel()
				c.run(t, s, r)
			})
		}
	}
}

// A word is a Terminate of the peer, with what may follow it.
type word struct {
	row   int
	name  string
	data  []byte
	cause iwarp.Cause // 0: it cannot be known
	text  string      // must be in the connection's error
}

func (c *word) run(t *testing.T, s *station, r role) {
	e, p := s.open(t, r, depths{4, 4})
	e.recv(64)
	e.recv(64)
	e.busy()
	// What follows a Terminate is ignored, however valid it is.
	p.write(c.data, write(e.mem.all.stag(), e.mem.all.to(0), "ignored"), send(1, "ignored"))
	p.end().one(t, "close")
	err := e.over(hca.EventBroken)
	if c.cause != 0 && !errors.Is(err, c.cause) {
		t.Errorf("the connection ended with %v, want the cause %v", err, c.cause)
	}
	if !strings.Contains(err.Error(), c.text) {
		t.Errorf("the connection ended with %q, which does not say %q", err, c.text)
	}
	s.bystander(t)
}

func terminateForms() (cases []word) {
	for n := range 4 {
		cases = append(cases, word{row: 63, name: fmt.Sprintf("body of %d bytes", n), data: terminate(make([]byte, n)...), text: "Terminate"})
	}
	for flags := range byte(8) {
		cases = append(cases, word{row: 63, name: fmt.Sprintf("flags %#x without their parts", flags<<5), data: terminate(0x11, 0x01, flags<<5, 0), cause: iwarp.CauseTaggedBounds})
		cases = append(cases, word{row: 63, name: fmt.Sprintf("flags %#x with half of their parts", flags<<5), data: terminate(0x11, 0x01, flags<<5, 0, 0, 14, 0xc1, 0x40), cause: iwarp.CauseTaggedBounds})
	}
	whole := func(change func(u []byte)) []byte { return edit(terminate(0x11, 0x01, 0, 0), change) }
	return append(cases,
		word{row: 63, name: "queue 0", data: whole(queueNumber(0)), text: "Terminate"},
		word{row: 63, name: "queue 7", data: whole(queueNumber(7)), text: "Terminate"},
		word{row: 63, name: "MSN 0", data: whole(func(u []byte) { u[13] = 0 }), text: "Terminate"},
		word{row: 63, name: "MSN 2", data: whole(func(u []byte) { u[13] = 2 }), text: "Terminate"},
		word{row: 63, name: "MO 4", data: whole(func(u []byte) { u[17] = 4 }), text: "Terminate"},
		word{row: 63, name: "not last", data: whole(func(u []byte) { u[0] &^= 0x40 }), text: "Terminate"},
		word{row: 63, name: "two of them", data: slices.Concat(terminate(0x11, 0x01, 0, 0), terminate(0x20, 0x02, 0, 0)), cause: iwarp.CauseTaggedBounds},
		word{row: 63, name: "60 KiB long", data: terminate(append([]byte{0x11, 0x01, 0, 0}, make([]byte, 60000)...)...), cause: iwarp.CauseTaggedBounds},
	)
}

func terminateCauses() (cases []word) {
	for _, c := range []iwarp.Cause{
		iwarp.CauseRDMAPLocal, iwarp.CauseProtSTag, iwarp.CauseProtAccess, iwarp.CauseOpVersion,
		iwarp.CauseDDPLocal, iwarp.CauseTaggedSTag, iwarp.CauseTaggedWrap, iwarp.CauseUntaggedNoBuffer, iwarp.CauseUntaggedLong, iwarp.CauseMPACRC,
	} {
		cases = append(cases, word{row: 66, name: "known cause " + reaction(c), data: terminate(byte(c>>8), byte(c), 0, 0), cause: c, text: reaction(c)[2:]})
	}
	for _, c := range []iwarp.Cause{0x0a77, 0x1f00, 0x3000, 0xf0ff, 0xffff, 0x02aa, 0x1299} {
		cases = append(cases, word{row: 64, name: "unknown cause " + reaction(c), data: terminate(byte(c>>8), byte(c), 0, 0), cause: c})
	}
	siw := func(name string, cause iwarp.Cause, body ...byte) {
		cases = append(cases, word{row: 65, name: name, data: terminate(body...), cause: cause})
	}
	siw("DDP bounds", iwarp.CauseTaggedBounds, append([]byte{0x11, 0x01, 0x03, 0, 0, 5}, write(0x12345, 7, "")[2:16]...)...)
	siw("access rights of a Read Request", iwarp.CauseProtAccess, append([]byte{0x10, 0x02, 0x07, 0, 0, 28}, readRequest(1, 2, 3, 4)[2:48]...)...)
	siw("CRC", iwarp.CauseMPACRC, 0x02, 0x02, 0, 0)
	siw("no buffer", iwarp.CauseUntaggedNoBuffer, append([]byte{0x21, 0x02, 0x03, 0, 0, 5}, send(1, "")[2:20]...)...)
	return cases
}

// Two causes mean one thing in the form of the RFC and another in the form of siw, if they come without header
// parts. Only an initiator can send the latter, in its first FPDU.
func TestTerminateOfStartUp(t *testing.T) {
	t.Parallel()
	s := newStation(t, hca.Options{})
	for _, c := range []struct {
		role role
		want iwarp.Cause
	}{
		{responder1, iwarp.CauseMPAIRD}, {responder, iwarp.CauseOpUnexpected}, {initiator, iwarp.CauseOpUnexpected},
	} {
		t.Run(c.role.name, func(t *testing.T) {
			w := word{row: 65, data: terminate(0x02, 0x06, 0, 0), cause: c.want}
			w.run(t, s, c.role)
		})
	}
}
