package peers_test

import (
	"encoding/binary"
	"errors"
	"slices"
	"testing"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/iwarp"
)

// Terminates that name a request of this side.

// An asked request is a request of this side, as the peer has received it.
type asked struct {
	id    uint64
	op    iwarp.Opcode
	ulpdu []byte
}

// about is the body of a Terminate that includes a header and, with body, a request's body.
func about(cause iwarp.Cause, header, body []byte) []byte {
	b := binary.BigEndian.AppendUint16(nil, uint16(cause))
	parts := byte(0xc0)
	if body != nil {
		parts |= 0x20
	}
	b = append(b, parts, 0)
	b = binary.BigEndian.AppendUint16(b, uint16(len(header)+len(body)))
	return append(append(b, header...), body...)
}

// ofSIW is the same in the form that siw uses.
func ofSIW(body []byte) []byte {
	b := slices.Clone(body)
	b[0] = b[0]<<4 | b[0]>>4
	b[2] = b[2]>>7&1 | b[2]>>5&2 | b[2]>>3&4
	return b
}

const nobody = -1

var blames = []struct {
	name string
	body func(a []asked) []byte // a: read, atomic, read, read; the first is answered
	who  int                    // of a; nobody: all are flushed
	how  hca.Status             // 0: a remote access error
}{
	{"the oldest read", func(a []asked) []byte { return about(iwarp.CauseProtSTag, a[2].header(), a[2].body()) }, 2, 0},
	{"the last read", func(a []asked) []byte { return about(iwarp.CauseProtBounds, a[3].header(), a[3].body()) }, 3, 0},
	{"a read, without its body", func(a []asked) []byte { return about(iwarp.CauseProtAccess, a[3].header(), nil) }, 3, 0},
	{"a read, by a tagged cause", func(a []asked) []byte { return about(iwarp.CauseTaggedSTag, a[2].header(), nil) }, 2, 0},
	{"a read, in the form of siw", func(a []asked) []byte { return ofSIW(about(iwarp.CauseProtAccess, a[2].header(), a[2].body())) }, 2, 0},
	{"the atomic", func(a []asked) []byte { return about(iwarp.CauseProtAccess, a[1].header(), nil) }, 1, 0},
	{"a read too many", func(a []asked) []byte { return about(iwarp.CauseUntaggedNoBuffer, a[3].header(), nil) }, 3, hca.StatusRemoteInvalid},
	{"a read too many, in the form of siw", func(a []asked) []byte { return ofSIW(about(iwarp.CauseUntaggedNoBuffer, a[3].header(), nil)) }, 3, hca.StatusRemoteInvalid},
	{"the atomic, which the peer does not know", func(a []asked) []byte { return about(iwarp.CauseOpUnexpected, a[1].header(), nil) }, 1, hca.StatusRemoteInvalid},
	{"the atomic, not aligned", func(a []asked) []byte { return about(iwarp.CauseOpStream, a[1].header(), nil) }, 1, hca.StatusRemoteInvalid},

	{"no header", func(a []asked) []byte { return []byte{0x01, 0x00, 0, 0} }, nobody, 0},
	{"half a header", func(a []asked) []byte { return about(iwarp.CauseProtSTag, a[2].header()[:17], nil) }, nobody, 0},
	{"a tagged header", func(a []asked) []byte { return about(iwarp.CauseTaggedSTag, write(1, 2, "")[2:16], nil) }, nobody, 0},
	{"a send of that number", func(a []asked) []byte { return about(iwarp.CauseUntaggedLong, send(a[2].msn(), "")[2:20], nil) }, nobody, 0},
	{"a read on another queue", func(a []asked) []byte { return about(iwarp.CauseProtSTag, with(a[2].header(), 9, 2), nil) }, nobody, 0},
	{"a read of another version", func(a []asked) []byte { return about(iwarp.CauseProtSTag, with(a[2].header(), 1, 0x01), nil) }, nobody, 0},
	{"a read that has its answer", func(a []asked) []byte { return about(iwarp.CauseProtSTag, a[0].header(), a[0].body()) }, nobody, 0},
	{"a read to come", func(a []asked) []byte { return about(iwarp.CauseProtSTag, with(a[3].header(), 13, 5), nil) }, nobody, 0},
	{"a number far off", func(a []asked) []byte { return about(iwarp.CauseProtSTag, with(a[2].header(), 10, 0x80), nil) }, nobody, 0},
	{"a read with the number of the atomic", func(a []asked) []byte { return about(iwarp.CauseProtSTag, with(a[2].header(), 13, 2), nil) }, nobody, 0},
	{"a read with another's sink", func(a []asked) []byte { return about(iwarp.CauseProtSTag, a[2].header(), a[3].body()) }, nobody, 0},
	{"a cause that is no request's", func(a []asked) []byte { return about(iwarp.CauseRDMAPLocal, a[2].header(), nil) }, nobody, 0},
	{"a wrong sum", func(a []asked) []byte { return about(iwarp.CauseMPACRC, a[2].header(), nil) }, nobody, 0},
}

func (a asked) header() []byte { return a.ulpdu[:iwarp.UntaggedHeaderSize] }
func (a asked) body() []byte   { return a.ulpdu[iwarp.UntaggedHeaderSize:] }
func (a asked) msn() iwarp.MSN { return iwarp.MSN(binary.BigEndian.Uint32(a.ulpdu[10:])) }

func with(b []byte, at int, v byte) []byte {
	b = slices.Clone(b)
	b[at] = v
	return b
}

// TestBlame: the request that a Terminate names fails, answered requests keep their results, and the others are
// flushed.
func TestBlame(t *testing.T) {
	t.Parallel()
	s := newStation(t, hca.Options{})
	for _, c := range blames {
		for _, r := range ownRoles {
			t.Run(c.name+"/"+r.name, func(t *testing.T) {
				t.Parallel()
				e, p := s.open(t, r, depths{4, 4})
				a := ask(t, e, p)
				answer := iwarp.ReadRequest{}
				if err := iwarp.ParseReadRequest(a[0].body(), &answer); err != nil {
					t.Fatal(err)
				}
				e.may = append(e.may, e.mem.sink.span(0, 8))
				e.ledger.allow(a[0].id, hca.StatusOK)
				if c.who != nobody {
					how := c.how
					if how == hca.StatusOK {
						how = hca.StatusRemoteAccess
					}
					e.ledger.allow(a[c.who].id, how)
				}
				body := c.body(a)
				p.write(response(answer.SinkSTag, uint64(answer.SinkTO), "answered"), terminate(body...))
				p.end().one(t, "close")
				err := e.over(hca.EventBroken)
				var cause iwarp.Cause
				if !errors.As(err, &cause) {
					t.Errorf("the connection ended with %v", err)
				}
				e.mem.holds(t, e.mem.sink.span(0, 8), "answered")
			})
		}
	}
}

// ask posts a read, an atomic operation and two more reads, and receives them at the peer. They are flushed if
// the case does not say otherwise.
func ask(t *testing.T, e *endpoint, p *peer) (list []asked) {
	t.Helper()
	for i, op := range []iwarp.Opcode{iwarp.OpReadRequest, iwarp.OpAtomicRequest, iwarp.OpReadRequest, iwarp.OpReadRequest} {
		a := asked{op: op}
		if op == iwarp.OpReadRequest {
			a.id = e.readAt(8*i, 8)
		} else {
			a.id = e.post(hca.SendWR{Op: hca.OpFetchAdd, Local: e.mem.sink.segment(8*i, 8), Remote: 0x10000, RKey: 0xabcd02, Operand: 1}, hca.StatusFlushed)
		}
		s := p.want(op)
		h := iwarp.UntaggedHeader{Op: op, Last: true, QN: iwarp.QueueRequest, MSN: s.MSN}
		a.ulpdu = untagged(h, string(s.Payload))[iwarp.LengthSize:][:iwarp.UntaggedHeaderSize+len(s.Payload)]
		list = append(list, a)
	}
	return list
}

// TestRefusalNamesTheRequest: a refusal names the refused request, so that a peer of this library can tell
// which one it was.
func TestRefusalNamesTheRequest(t *testing.T) {
	t.Parallel()
	s := newStation(t, hca.Options{})
	for _, r := range ownRoles {
		for name, bad := range map[string][]byte{
			"read":   readRequest(2, 0xabcd02, 0, 8),
			"atomic": iwarp.AppendAtomicRequest(nil, 2, &iwarp.AtomicRequest{Op: iwarp.AtomicFetchAdd, STag: 0xabcd02}, true),
		} {
			t.Run(name+"/"+r.name, func(t *testing.T) {
				e, p := s.open(t, r, depths{4, 4})
				p.write(readRequest(1, e.mem.all.stag(), e.mem.all.to(0), 8), bad)
				end := p.end()
				if len(end.segments) == 0 || end.segments[len(end.segments)-1].Op != iwarp.OpReadResponse {
					t.Errorf("the read before it was not answered: %+v", end.segments)
				}
				if end.term == nil {
					t.Fatalf("ours ended with %v", end)
				}
				op, msn, ok := end.term.About()
				if !ok || msn != 2 || op != iwarp.Opcode(bad[3]&15) || (end.term.ReadRequest != nil) != (name == "read") {
					t.Errorf("the Terminate is about %v %d, %v: %+v", op, msn, ok, end.term)
				}
				e.over(hca.EventBroken)
			})
		}
	}
}
