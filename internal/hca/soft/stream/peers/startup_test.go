package peers_test

import (
	"context"
	"net"
	"testing"
	"time"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/iwarp"
)

// A role is how the two sides connected.
type role struct {
	name      string
	initiator bool // this side is
	own       bool // the peer identifies itself as this library
	frame     iwarp.Frame
	first     func() []byte // the peer's first frame
	polling   bool          // this side polls instead of sleeping
	mss       int           // what the peer's host accepts in one TCP segment; 0: as usual
}

func enhanced(rtr iwarp.RTR, ird, ord iwarp.Depth) iwarp.Frame {
	return iwarp.Frame{Revision: iwarp.Revision2, CRC: true, Enhanced: true, PeerToPeer: true, RTR: rtr, IRD: ird, ORD: ord}
}

var (
	responder1 = role{name: "responder to revision 1", frame: iwarp.Frame{Revision: iwarp.Revision1, CRC: true}}
	responder  = role{name: "responder", frame: enhanced(iwarp.RTRWrite|iwarp.RTRRead, 16, 16), first: func() []byte { return write(1, 0, "") }}
	initiator  = role{name: "initiator", initiator: true, frame: enhanced(iwarp.RTRWrite, 16, 16)}

	roles = []role{responder1, responder, initiator}

	// ownRoles have a peer that identifies itself as this library.
	ownRoles = []role{
		{name: "responder to our own", own: true, frame: responder.frame, first: greeting},
		{name: "initiator with our own", own: true, initiator: true, frame: initiator.frame, first: greeting},
	}
)

// open makes a connection in a role, up to where both may send anything.
func (s *station) open(t testing.TB, r role, d depths) (*endpoint, *peer) {
	t.Helper()
	if r.initiator {
		return s.openInitiator(t, r, d)
	}
	return s.openAt(t, s.listen(t), r, d)
}

// openAt makes a connection to a listener.
func (s *station) openAt(t testing.TB, v *service, r role, d depths) (*endpoint, *peer) {
	t.Helper()
	p := dialFrom(t, v.address(), net.Dialer{Control: limitMSS(r.mss)})
	p.sendRequest(r.frame)
	req := v.request()
	e := s.endpoint(t, d)
	result := e.accept(req, nil)
	p.takeReply()
	p.marked = r.frame.Markers
	if r.first != nil {
		p.write(r.first())
	} else {
		p.silent = true
	}
	e.established(result)
	if r.first != nil && r.own {
		p.want(iwarp.OpWrite) // this side greets too
	}
	return e, p
}

func (s *station) openInitiator(t testing.TB, r role, d depths) (*endpoint, *peer) {
	t.Helper()
	h := listenFrom(t, net.ListenConfig{Control: limitMSS(r.mss)})
	e := s.endpoint(t, d)
	result := e.connect(h.address(), nil)
	p := h.accept()
	p.takeRequest()
	p.sendReply(r.frame)
	p.marked = r.frame.Markers
	e.established(result)
	if r.frame.RTR == iwarp.RTRWrite {
		p.want(iwarp.OpWrite)
	}
	if r.first != nil {
		p.write(r.first())
	}
	return e, p
}

// accept and connect run in the background until the peer has done its part.

func (e *endpoint) accept(r hca.ConnRequest, private []byte) <-chan error {
	result := make(chan error, 1)
	go func() { result <- r.Accept(context.Background(), e.qp, hca.ConnParams{Private: private}) }()
	return result
}

func (e *endpoint) connect(address string, private []byte) <-chan error {
	result := make(chan error, 1)
	go func() { result <- e.qp.Connect(context.Background(), address, hca.ConnParams{Private: private}) }()
	return result
}

// established waits for the connection.
func (e *endpoint) established(result <-chan error) *hca.ConnInfo {
	e.t.Helper()
	if err := e.outcome(result); err != nil {
		e.t.Fatalf("no connection: %v", err)
	}
	e.info = e.event(hca.EventEstablished).Info
	return e.info
}

// failed waits for the attempt to fail, and checks the result.
func (e *endpoint) failed(result <-chan error) error {
	e.t.Helper()
	err := e.outcome(result)
	if err == nil {
		e.t.Fatal("there is a connection")
	}
	e.stock()
	return err
}

func (e *endpoint) outcome(result <-chan error) error {
	e.t.Helper()
	select {
	case err := <-result:
		return err
	case <-time.After(patience):
		e.t.Fatal("connecting does not end")
		return nil
	}
}
