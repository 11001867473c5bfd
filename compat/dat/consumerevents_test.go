package dat_test

import (
	"testing"

	"github.com/godapl/godapl/compat/dat"
)

// post is an operation that was posted.
type post struct {
	op     dat.DTOS
	ep     dat.EPHandle // or srq
	srq    dat.SRQHandle
	evd    dat.EVDHandle // null: nobody wants its event
	by     dat.EVDHandle // which its event passes, if it goes elsewhere than those of requests
	rmr    dat.RMRHandle
	flags  dat.CompletionFlags
	number uint64
	// refused: the call has failed. done: its event was taken.
	refused, done, elsewhere bool
}

// links are the connections of an endpoint.
type links struct {
	attempts, established, ended int
	up                           bool
	evds                         map[dat.EVDHandle]bool // that have got its events
	last                         map[stream]*post       // whose event was taken last
}

type stream struct {
	evd             dat.EVDHandle
	recv, elsewhere bool
}

func (c *consumer) linksOf(ep dat.EPHandle) *links {
	l := c.links[ep]
	if l == nil {
		l = &links{evds: map[dat.EVDHandle]bool{}, last: map[stream]*post{}}
		c.links[ep] = l
	}
	return l
}

// expect enters a post that is about to be made, and gives its cookie.
func (c *consumer) expect(p post) (*post, dat.Context) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.last++
	p.number = c.last
	c.posts[c.last] = &p
	switch c.last % 3 {
	case 0:
		return &p, dat.Context{As64: 0xDA71<<48 | c.last} // is no number of the package's own
	case 1:
		return &p, dat.Context{AsPtr: &p, As64: c.last}
	}
	return &p, dat.Context{As64: c.last}
}

// posted enters how the call has ended.
func (c *consumer) posted(p *post, ret dat.Return) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if p.refused = ret != dat.Success; p.refused && p.done {
		c.t.Fatalf("a post that was refused with %v has completed: %+v", ret, *p)
	}
}

// attempt enters a connection that is about to be requested or accepted.
func (c *consumer) attempt(ep dat.EPHandle, n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.linksOf(ep).attempts += n
}

// took enters an event that was taken.
func (c *consumer) took(h dat.EVDHandle, ev *dat.Event) {
	if ev.EVDHandle != h {
		c.t.Fatalf("event %v of %#x was taken from %#x", ev.EventNumber, ev.EVDHandle, h)
	}
	if testing.Verbose() {
		c.t.Log(ev.EventNumber, h)
	}
	d := &ev.EventData
	switch ev.EventNumber {
	case dat.DTOCompletionEvent, dat.IBDTOEvent:
		e := &d.DTOCompletionEventData
		c.completed(h, e.UserCookie, e.EPHandle, 0, e.Status, e.Operation)
	case dat.RMRBindCompletionEvent:
		e := &d.RMRCompletionEventData
		c.completed(h, e.UserCookie, 0, e.RMRHandle, e.Status, dat.DTOBindMW)
	case dat.ConnectionRequestEvent:
		c.requested(h, d.CRArrivalEventData.CRHandle)
	case dat.SoftwareEvent:
		c.mu.Lock()
		defer c.mu.Unlock()
		q := c.messages[h]
		n, is := d.SoftwareEventData.Pointer.(uint64)
		if !is || len(q) == 0 || q[0] != n && !c.together {
			c.t.Fatalf("software event %v, want the first of %v", d.SoftwareEventData.Pointer, q)
		}
		for i := range q {
			if q[i] == n {
				c.messages[h] = append(q[:i:i], q[i+1:]...)
				return
			}
		}
		c.t.Fatalf("software event %d is none of %v", n, q)
	default:
		switch {
		case ev.EventNumber >= dat.AsyncErrorEVDOverflow && ev.EventNumber <= dat.AsyncErrorProviderInternalError:
			if d.AsynchErrorEventData.DatHandle == dat.HandleNull {
				c.t.Fatalf("an asynchronous error of nothing: %v", ev.EventNumber)
			}
		case ev.EventNumber >= dat.ConnectionEventEstablished && ev.EventNumber <= dat.ConnectionEventUnreachable:
			c.connection(h, d.ConnectEventData.EPHandle, ev.EventNumber)
		default:
			c.t.Fatalf("event %v", ev.EventNumber)
		}
	}
}

// completed enters a completion.
func (c *consumer) completed(h dat.EVDHandle, cookie dat.Context, ep dat.EPHandle, rmr dat.RMRHandle, status dat.DTOCompletionStatus, op dat.DTOS) {
	c.mu.Lock()
	defer c.mu.Unlock()
	p := c.posts[cookie.As64&(1<<48-1)]
	if x, is := cookie.AsPtr.(*post); is {
		p = x
	}
	fail := func(what string) {
		if p == nil {
			c.t.Fatalf("%s: cookie %+v, endpoint %#x, status %d, operation %d, from %#x", what, cookie, ep, status, op, h)
		}
		c.t.Fatalf("%s: endpoint %#x, window %#x, status %d, operation %d, from %#x; posted was %+v", what, ep, rmr, status, op, h, *p)
	}
	switch {
	case p == nil:
		fail("a completion of nothing")
	case p.done:
		fail("a second completion")
	case p.refused:
		fail("a completion of what was refused")
	case p.evd != h && p.srq == 0:
		fail("from the wrong dispatcher")
	case p.rmr != rmr, p.srq == 0 && rmr == 0 && p.ep != ep:
		fail("of the wrong object")
	case p.op != op && !(p.op == dat.DTOReceive && (op == dat.DTOReceiveWithInvalidate || op == dat.IBDTORecvImmed)):
		fail("of the wrong operation")
	case p.flags&dat.CompletionSuppressFlag != 0 && status == dat.DTOSuccess:
		fail("a success that was suppressed")
	}
	p.done = true
	if p.srq != 0 || c.together {
		return
	}
	last := &c.linksOf(p.ep).last
	s := stream{h, p.op == dat.DTOReceive, p.elsewhere}
	if l := (*last)[s]; l != nil && l.number > p.number {
		fail("out of order")
	}
	(*last)[s] = p
}

// requested enters a request, and its endpoint.
func (c *consumer) requested(h dat.EVDHandle, cr dat.CRHandle) {
	if c.find(dat.Handle(cr)) != nil {
		c.t.Fatalf("request %#x has come twice", cr)
	}
	ia := c.find(dat.Handle(h)).ia
	c.add(object{kind: dat.HandleTypeCR, handle: dat.Handle(cr), ia: ia})
	var q dat.CRParam
	if dat.CRQuery(cr, dat.CRFieldAll, &q) != dat.Success || q.LocalEPHandle == dat.HandleNull {
		return
	}
	if c.find(dat.Handle(q.LocalEPHandle)) == nil {
		c.add(object{kind: dat.HandleTypeEP, handle: dat.Handle(q.LocalEPHandle), ia: ia, lent: true})
	}
}

// connection enters an event of a connection.
func (c *consumer) connection(h dat.EVDHandle, ep dat.EPHandle, number dat.EventNumber) {
	c.mu.Lock()
	defer c.mu.Unlock()
	l := c.linksOf(ep)
	l.evds[h] = true
	up := l.up
	switch number {
	case dat.ConnectionEventEstablished:
		l.established++
		l.up = true
	case dat.ConnectionEventDisconnected:
		l.ended++
		l.up, up = false, false
	case dat.ConnectionEventBroken:
		l.ended++
		l.up, up = false, !up
	default:
		l.ended++
	}
	if up && len(l.evds) == 1 && !c.together || l.established > l.attempts || l.ended > l.attempts {
		c.t.Fatalf("event %v of endpoint %#x: %+v", number, ep, *l)
	}
}
