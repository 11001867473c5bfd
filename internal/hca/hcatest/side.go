package hcatest

import (
	"github.com/godapl/godapl/internal/hca"
)

// side is one open adapter with a protection domain.
type side struct {
	*env
	name  string
	ad    hca.Adapter
	attr  *hca.Attr
	pd    hca.PD
	async *asyncs

	ends   []*end
	closed bool
}

func (t *env) side(name string, opt hca.Options) *side {
	t.Helper()
	s := &side{env: t, name: name, async: newAsyncs(t, name)}
	opt.Async = s.async.on
	if opt.ReceiveWait == 0 {
		opt.ReceiveWait = 4 * t.h.patience() // a slow machine breaks no connection
	}
	s.ad = t.h.Open(t.TB, opt)
	if s.ad == nil {
		t.Fatalf("%s: the harness opened no adapter", name)
	}
	t.Cleanup(s.close)
	if s.attr = s.ad.Attr(); s.attr == nil {
		t.Fatalf("%s: the adapter has no attributes", name)
	}
	s.pd = s.domain()
	return s
}

// close closes the adapter with everything that is open, and checks that each
// connection has had its one terminal event and that no event follows.
func (s *side) close() {
	s.Helper()
	if s.closed {
		return
	}
	s.closed = true
	if err := s.within(s.name+": Adapter.Close", s.ad.Close); err != nil {
		s.Errorf("%s: Adapter.Close: %v", s.name, err)
	}
	s.async.close()
	for _, e := range s.ends {
		e.ev.close()
	}
}

func (s *side) domain() hca.PD {
	s.Helper()
	pd, err := s.ad.NewPD()
	s.must(s.name+": NewPD", err)
	return pd
}

// can reports whether the adapter has all of the capabilities.
func (s *side) can(c hca.Caps) bool { return s.attr.Caps&c == c }

// sink is the access that local memory needs as the target of a read.
func (s *side) sink() hca.Access {
	if s.can(hca.CapReadNeedsWrite) {
		return hca.LocalWrite | hca.RemoteWrite
	}
	return hca.LocalWrite
}

// all is every right that the adapter knows.
func (s *side) all() hca.Access {
	if s.can(hca.CapAtomics) {
		return hca.AllAccess
	}
	return hca.AllAccess &^ hca.RemoteAtomic
}

// limit is want, or the adapter's maximum if that is less. 0 is no limit.
func limit(want, most int) int {
	if most > 0 && want > most {
		return most
	}
	return want
}
