package dat

import "sync"

// Cookies. The native API carries 64 bits with a post. A number goes there as it
// is; a pointer has a place here, and its number goes along, under a prefix.
// Numbers of the program that happen to begin with the prefix have a place, too, and
// so does every bind.
const (
	placeShift  = 48
	placePrefix = 0xDA71
)

func placed(n uint64) bool { return n>>placeShift == placePrefix }

// needsPlace reports whether a cookie must be stored in a table because it does not
// fit into the post.
func (c *Context) needsPlace() bool { return c.AsPtr != nil || placed(c.As64) }

// cookieTable is the cookie places of one adapter. A place is used once: its number
// changes with every use.
type cookieTable struct {
	mu   sync.Mutex
	all  []place
	free []uint64 // indices
}

type place struct {
	cookie Context
	number uint64 // of the latest use
	taken  bool
	owner  *srq // whose receive has the cookie; nil: a request or receive of an endpoint
}

const indexBits = 24

// put gives a cookie a place.
func (t *cookieTable) put(c Context) uint64 { return t.putFor(nil, c) }

func (t *cookieTable) putFor(owner *srq, c Context) uint64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	i := uint64(len(t.all))
	if n := len(t.free); n > 0 {
		i = t.free[n-1]
		t.free = t.free[:n-1]
	} else {
		t.all = append(t.all, place{number: placePrefix<<placeShift | i})
	}
	p := &t.all[i]
	p.number = (p.number+1<<indexBits)&(1<<placeShift-1) | placePrefix<<placeShift
	p.cookie, p.taken, p.owner = c, true, owner
	return p.number
}

// take gives the cookie back and frees its place.
func (t *cookieTable) take(n uint64) Context {
	t.mu.Lock()
	defer t.mu.Unlock()
	i := n & (1<<indexBits - 1)
	if i >= uint64(len(t.all)) || t.all[i].number != n || !t.all[i].taken {
		return Context{}
	}
	return t.release(i)
}

// release frees the i-th place. t.mu is held.
func (t *cookieTable) release(i uint64) Context {
	p := &t.all[i]
	c := p.cookie
	p.cookie, p.taken, p.owner = Context{}, false, nil
	t.free = append(t.free, i)
	return c
}

// releaseOf frees the places of receives that have vanished with their queue.
func (t *cookieTable) releaseOf(owner *srq) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for i := range t.all {
		if t.all[i].owner == owner {
			t.release(uint64(i))
		}
	}
}

// suppressed is the places of requests whose success makes no event, oldest first. A
// place is freed when so many later requests have been posted that its request must have
// succeeded: otherwise its event has taken the cookie.
type suppressed struct {
	mu     sync.Mutex
	places []uint64
}

// add enters a place, and frees the oldest that have more than unknown places after them.
func (s *suppressed) add(place uint64, unknown int, t *cookieTable) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.places = append(s.places, place)
	for len(s.places) > unknown+1 {
		if b, ok := t.take(s.places[0]).AsPtr.(*binding); ok {
			b.completed(true)
		}
		s.places = s.places[1:]
	}
}

func (s *suppressed) none() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.places) == 0
}

func (s *suppressed) freeAll(t *cookieTable) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.places {
		t.take(p)
	}
	s.places = nil
}
