package dat

import (
	"slices"
	"sync"
)

// opened is all open adapters. An open that leaves its asynchronous errors to another
// one finds it here.
var opened = openList{claims: map[claim]bool{}}

type openList struct {
	mu     sync.Mutex
	all    []*ia
	claims map[claim]bool
}

// claim is a qualifier of an adapter at which a service point is about to listen.
type claim struct {
	name string
	qual ConnQual
}

func (l *openList) enter(a *ia) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = append(l.all, a)
}

func (l *openList) leave(a *ia) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = slices.DeleteFunc(l.all, func(o *ia) bool { return o == a })
}

// collector is the dispatcher of another open of the same adapter.
func (l *openList) collector(a *ia) *evd {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, o := range l.all {
		if o == a || o.name != a.name {
			continue
		}
		if d := o.own(); d != nil {
			return d
		}
	}
	return nil
}

// services are the service points of a qualifier, of all opens of that adapter. On the
// network a service of more than 16 bits has several candidate ports, so one open alone
// cannot tell whether somebody listens.
func (l *openList) services(name string, qual ConnQual) (all []*sp) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, o := range l.all {
		if o.name != name {
			continue
		}
		o.mu.Lock()
		s := o.services[qual]
		o.mu.Unlock()
		if s != nil {
			all = append(all, s)
		}
	}
	return all
}

// offers reports whether an open adapter has that service point.
func (l *openList) offers(name string, qual ConnQual) bool {
	return slices.ContainsFunc(l.services(name, qual), func(s *sp) bool { return !s.spent.Load() })
}

// claim reserves a qualifier for a service point that is about to listen: of several at the same time, the adapter might
// refuse none, for the reason above. It returns false if there is a service point, or another call has the claim.
func (l *openList) claim(name string, qual ConnQual) (release func(), ok bool) {
	c := claim{name, qual}
	if !l.setClaim(c, true) {
		return nil, false
	}
	release = func() { l.setClaim(c, false) }
	if l.offers(name, qual) {
		release()
		return nil, false
	}
	return release, true
}

// setClaim reports whether that changed something.
func (l *openList) setClaim(c claim, to bool) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.claims[c] == to {
		return false
	}
	if to {
		l.claims[c] = true
	} else {
		delete(l.claims, c)
	}
	return true
}

// sweep waits until the RSPs that are done with have left their qualifier.
func (l *openList) sweep(name string, qual ConnQual) {
	for _, s := range l.services(name, qual) {
		if s.used() {
			s.deafen()
		}
	}
}
