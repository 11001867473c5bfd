package peers_test

import (
	"testing"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/iwarp"
)

// Row 54: more requests than agreed, behind one whose response is stuck because the peer does not read it.
func TestTooManyReadRequests(t *testing.T) {
	t.Parallel()
	s := newStation(t, hca.Options{})
	for _, r := range roles {
		if r.frame.Enhanced {
			r.frame.IRD, r.frame.ORD = 2, 2
		}
		t.Run(r.name, func(t *testing.T) {
			e, p := s.open(t, r, depths{2, 2})
			e.recv(8)
			e.busy()
			stuck := newStuck(t, s, p)
			p.write(stuck.request(1), stuck.request(2), stuck.request(3))
			e.over(hca.EventBroken)
			end := p.end()
			end.one(t, "1/2/0x02")
			stuck.close(t, end, 3)
			s.bystander(t)
		})
	}
}

// A refused request has no effect: an atomic operation beyond the depth is not carried out.
func TestTooManyAtomics(t *testing.T) {
	t.Parallel()
	s := newStation(t, hca.Options{})
	for _, r := range ownRoles {
		r.frame.IRD, r.frame.ORD = 4, 4
		t.Run(r.name, func(t *testing.T) {
			e, p := s.open(t, r, depths{4, 4})
			all, stuck := e.mem.all, newStuck(t, s, p)
			e.may = append(e.may, all.span(0, 24))
			p.write(stuck.request(1))
			for i := range 4 { // one too many
				p.write(fetchAdd(iwarp.MSN(2+i), all.stag(), all.to(8*i)))
			}
			e.over(hca.EventBroken)
			end := p.end()
			end.one(t, "1/2/0x02")
			stuck.close(t, end, 5)
			s.bystander(t)
		})
	}
}

// TestNoReadsIn: an endpoint that takes no reads at all agrees to one, because some peers break otherwise, and refuses it.
// A read that is the agreed first frame is none of the program's.
func TestNoReadsIn(t *testing.T) {
	t.Parallel()
	s := newStation(t, hca.Options{})
	for _, r := range append([]role{{name: "greeted by a read", frame: enhanced(iwarp.RTRRead, 4, 4), first: func() []byte { return readRequest(1, 1, 0, 0) }}}, ownRoles...) {
		t.Run(r.name, func(t *testing.T) {
			e, p := s.open(t, r, depths{0, 4})
			e.recv(8)
			if e.info.ReadsIn != 0 {
				t.Errorf("the program is told that %d reads come in", e.info.ReadsIn)
			}
			msn := iwarp.MSN(1)
			if r.frame.RTR == iwarp.RTRRead {
				p.want(iwarp.OpReadResponse)
				msn++
			}
			request := readRequest(msn, e.mem.all.stag(), e.mem.all.to(0), 8)
			if r.frame.RTR != iwarp.RTRRead {
				request = fetchAdd(msn, e.mem.all.stag(), e.mem.all.to(0))
			}
			p.write(request)
			end := p.end()
			end.one(t, "1/2/0x02")
			leaksNothing(&exchange{t, e, p}, end)
			e.over(hca.EventBroken)
		})
	}
	s.bystander(t)
}
