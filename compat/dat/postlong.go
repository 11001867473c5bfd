package dat

import (
	"sync"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mem"
)

// post is a post that takes the long way.
type post struct {
	e     *ep
	flags CompletionFlags
	arg   int // which argument num_segments is; the list is the next
	total Vlen
	list  *[]mem.Slice
	place uint64 // of the cookie; 0 is none
}

// lists are for the segments of posts. The native call has copied them when it
// returns.
var lists = sync.Pool{New: func() any { return new([]mem.Slice) }}

// begin checks the arguments that all posts have and translates the segments.
// flagArg is which argument the flags are.
func (p *post) begin(n Count, iov []LMRTriplet, maxIOV, depth Count, allowed CompletionFlags, unsignalled bool, flagArg int) Return {
	switch {
	case p.flags&^allowed != 0, p.flags&CompletionUnsignalledFlag != 0 && !unsignalled:
		return badArg(flagArg)
	case depth == 0:
		return failure(InsufficientResources, NoSubtype)
	}
	return p.translate(p.e.ia, n, iov, maxIOV)
}

// translate converts the segments to slices. It drops empty ones without checking them.
func (p *post) translate(a *ia, n Count, iov []LMRTriplet, maxIOV Count) Return {
	switch {
	case n < 0 || n > maxIOV:
		return badArg(p.arg)
	case int(n) > len(iov):
		return badArg(p.arg + 1)
	}
	p.list = lists.Get().(*[]mem.Slice)
	for i := range iov[:n] {
		t := &iov[i]
		if t.SegmentLength == 0 {
			continue
		}
		s, ok := a.slice(t)
		if !ok {
			p.end()
			if a.keys.get(t.LMRContext) == nil {
				return failure(PrivilegesViolation, NoSubtype)
			}
			return badArg(p.arg + 1)
		}
		p.total += t.SegmentLength
		*p.list = append(*p.list, s)
	}
	return Success
}

// segments are the first and the others.
func (p *post) segments() (first mem.Slice, more []mem.Slice) {
	if len(*p.list) == 0 {
		return first, nil
	}
	return (*p.list)[0], (*p.list)[1:]
}

// end gives the list back.
func (p *post) end() {
	clear(*p.list)
	*p.list = (*p.list)[:0]
	lists.Put(p.list)
}

// cookie is the number that goes along.
func (p *post) cookie(c DTOCookie) uint64 {
	if !c.needsPlace() {
		return c.As64
	}
	p.place = p.e.ia.cookies.put(c)
	return p.place
}

// posted finishes a post.
func (p *post) posted(err error, privileges, protection Return) Return {
	if err != nil {
		if p.place != 0 {
			p.e.ia.cookies.take(p.place)
		}
		return p.e.refused(err, privileges, protection)
	}
	if p.place != 0 && p.flags&CompletionSuppressFlag != 0 {
		p.e.left.add(p.place, p.e.rules.Load().unknown(), &p.e.ia.cookies)
	}
	return Success
}

// refused translates the error of a native post.
func (e *ep) refused(err error, privileges, protection Return) Return {
	if types[codeOf(err)] == InvalidState {
		s := e.state()
		switch {
		case s == EPStateDisconnected, codeOf(err) != rdma.ErrState:
			s = EPStateUnconnected // a reset is under way: without one, posts behind the end are flushed
		case s == EPStateConnected && e.rules.Load().srq != nil:
			return failure(InvalidState, InvalidStateSRQInUse)
		}
		return e.wrongState(s)
	}
	return result(err, privileges, protection, InvalidHandleEP, InvalidArg3)
}

// slice is the memory of a triplet. It is not ok if there is no such memory, or the
// triplet reaches beyond it.
func (a *ia) slice(t *LMRTriplet) (s mem.Slice, ok bool) {
	// The first step of keyTable.get, inlined, since it is mostly the last.
	slots := *a.keys.slots.Load()
	l := slots[spread(t.LMRContext, len(slots))].Load()
	if l == nil || l.key != t.LMRContext {
		if l = a.keys.get(t.LMRContext); l == nil {
			return s, false
		}
	}
	off := Vlen(t.VirtualAddress - l.base)
	if off > l.size || t.SegmentLength > l.size-off || t.SegmentLength == 0 {
		return s, false
	}
	return l.all.Slice(int(off), int(t.SegmentLength)), true
}
