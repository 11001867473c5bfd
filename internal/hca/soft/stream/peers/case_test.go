package peers_test

import (
	"fmt"
	"testing"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/iwarp"
)

// A badCase is something that a peer sends on an established connection.
type badCase struct {
	row  int // in the list of malformed input
	name string
	// data is what the peer sends, in one write. It may read and post first.
	data func(x *exchange) []byte
	// want lists the reactions that are allowed, separated by blanks: "close", "accept", or the numbers of a
	// Terminate.
	want  string
	recvs []int // sizes of this side's receives; nil: two of 64
	idle  bool  // this side has nothing under way
	fin   bool  // the peer ends its side after the bytes
	// oldest is how this side's oldest receive may end; nil: flushed.
	oldest []hca.Status
	check  func(x *exchange, end ending)
	roles  []role // nil: all
}

// An exchange is a connection on which a case runs.
type exchange struct {
	t testing.TB
	e *endpoint
	p *peer
}

func (x *exchange) m() *memory { return x.e.mem }

// may lets the peer change n bytes.
func (x *exchange) may(p *piece, i, n int) { x.e.may = append(x.e.may, p.span(i, n)) }

// runCases runs each case in all of its roles, and in one of them once more: with a program that polls, or over
// a stream that is no plain socket.
func runCases(t *testing.T, cases []badCase) {
	t.Parallel()
	s, wrapped := newStation(t, hca.Options{ReceiveWait: -1}), newWrapped(t, hca.Options{ReceiveWait: -1})
	for i, c := range cases {
		in := c.roles
		if in == nil {
			in = roles
		}
		run := func(s *station, r role) {
			t.Run(fmt.Sprintf("%d %s/%s", c.row, c.name, r.name), func(t *testing.T) {
				t.Parallel()
				c.run(t, s, r)
			})
		}
		for _, r := range in {
			run(s, r)
		}
		again := in[i%len(in)]
		if i%3 == 0 {
			again.name += ", polling"
			again.polling = true
			run(s, again)
			continue
		}
		again.name += ", wrapped"
		run(wrapped, again)
	}
}

func (c *badCase) run(t *testing.T, s *station, r role) {
	e, p := s.open(t, r, depths{4, 4})
	x := &exchange{t, e, p}
	sizes := c.recvs
	if sizes == nil {
		sizes = []int{64, 64}
	}
	for _, n := range sizes {
		e.recv(n)
	}
	if !c.idle && c.want != "accept" {
		e.busy()
	}
	if c.oldest != nil {
		e.ledger.allow(e.recvs[0], c.oldest...)
	}
	p.write(c.data(x))
	if c.want == "accept" {
		if c.check != nil {
			c.check(x, ending{})
		}
		x.alive()
		s.bystander(t)
		return
	}
	if c.fin {
		p.fin()
	}
	stop := func() {}
	if r.polling {
		stop = e.poll()
	}
	end := p.end()
	end.one(t, c.want)
	ev := e.event(hca.EventBroken)
	stop()
	if c.check != nil {
		c.check(x, end)
	}
	e.end(ev)
	s.bystander(t)
}

// alive shows that the connection works, and ends it gracefully.
func (x *exchange) alive() {
	x.t.Helper()
	e, p := x.e, x.p
	for _, left := e.qp.Outstanding(); left > 0; left-- {
		p.write(send(p.send, ""))
		p.send++
		e.received()
	}
	at := e.recvAt
	e.recv(8)
	p.write(send(p.send, "all well"))
	p.send++
	wc := e.received()
	e.may = append(e.may, e.mem.recv.span(at, 8))
	if wc.Len != 8 {
		x.t.Errorf("%d bytes came", wc.Len)
	}
	e.mem.holds(x.t, e.mem.recv.span(at, 8), "all well")
	e.post(hca.SendWR{Op: hca.OpWrite, Local: e.mem.src.segment(0, 8), Remote: 99, RKey: 7}, hca.StatusOK)
	for {
		s, err := p.next()
		if err != nil {
			x.t.Fatalf("ours ended an innocent connection: %v", err)
		}
		if s.Op == iwarp.OpTerminate {
			x.t.Fatalf("ours ended an innocent connection: % x", s.Payload)
		}
		if s.Op == iwarp.OpWrite && s.TO == 99 {
			break
		}
	}
	e.done(hca.StatusOK)
	p.fin()
	if end := p.end(); end.String() != "close" {
		x.t.Errorf("our FIN was answered with %v", end)
	}
	e.over(hca.EventDisconnected)
}
