package peers_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/godapl/godapl/internal/iwarp"
)

// An ending is what this side sends from now on until the stream ends.
type ending struct {
	segments []iwarp.Segment // without the Terminate
	term     *iwarp.Terminate
	late     int // FPDUs after the Terminate: there must be none
	err      error
}

// end reads until this side has closed.
func (p *peer) end() (e ending) {
	for {
		first := p.offset == 0
		s, err := p.next()
		if err != nil {
			e.err = err
			return e
		}
		switch {
		case e.term != nil:
			e.late++
		case s.Op == iwarp.OpTerminate:
			e.term = new(iwarp.Terminate)
			if err := iwarp.ParseTerminate(s.Payload, first, e.term); err != nil {
				e.err = err
				return e
			}
		default:
			e.segments = append(e.segments, s)
		}
	}
}

// String is the reaction in the form of the tables: "close", or the numbers of the Terminate. Anything else
// matches no table.
func (e ending) String() string {
	switch {
	case errors.Is(e.err, os.ErrDeadlineExceeded):
		return "the stream stays open"
	case e.late > 0:
		return fmt.Sprintf("%d FPDUs behind the Terminate", e.late)
	case !errors.Is(e.err, io.EOF) && !isReset(e.err):
		return e.err.Error()
	case e.term != nil && e.term.SIW:
		return "a Terminate in the form of siw"
	case e.term == nil:
		return "close"
	}
	return reaction(e.term.Cause)
}

func reaction(c iwarp.Cause) string {
	return fmt.Sprintf("%d/%d/0x%02x", c.Layer(), c.EType(), c.Code())
}

// one fails unless the reaction is among those wanted, which are separated by blanks.
func (e ending) one(t testing.TB, want string) {
	t.Helper()
	if !slices.Contains(strings.Fields(want), e.String()) {
		t.Errorf("reaction %v, want %s", e, strings.Join(strings.Fields(want), " or "))
	}
	if errors.Is(e.err, os.ErrDeadlineExceeded) {
		t.FailNow() // nothing is left to check
	}
}

// endFrames reads what arrives in place of FPDUs until this side has closed.
func (p *peer) endFrames() (data []byte, err error) {
	for err == nil {
		err = p.more(patience)
	}
	return p.in, err
}

// closed fails unless this side closes without another byte.
func (p *peer) closed(t testing.TB) {
	t.Helper()
	data, err := p.endFrames()
	if len(data) > 0 || !errors.Is(err, io.EOF) && !isReset(err) {
		t.Errorf("got % x, then %v; want a close without an answer", data, err)
	}
}
