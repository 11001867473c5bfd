package perf

import (
	"errors"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mem"
)

// Where a message that finds no receive ends the connection, the sender must not get
// ahead of the receiver. So the receiver sends a message back, a credit, whenever it
// has posted half of its receives again. Its private data says, before its memory,
// whether it does.

// creditsAlways gives credits even where they are not needed, for tests.
var creditsAlways bool

// mustGive reports whether this side gives credits.
func (s *side) mustGive() bool {
	return s.cfg.Op == "send" && (creditsAlways || s.cfg.Credits || !s.adapter.Attributes().Caps.ReceiveWait)
}

// terms are the private data of the side that receives.
func (s *side) terms() ([]byte, error) {
	where, err := s.shared.Remote().MarshalBinary()
	gives := byte(0)
	if s.gives {
		gives = 1
	}
	return append([]byte{gives}, where...), err
}

// readTerms reports whether credits are given, and the memory.
func readTerms(private []byte) (gives bool, far mem.Remote, err error) {
	if len(private) == 0 {
		return false, far, errors.New("the other side is not perf")
	}
	err = far.UnmarshalBinary(private[1:])
	return private[0] != 0, far, err
}

// window is the number of messages per credit.
func (c *config) window() int { return c.recvs() / 2 }

// credits counts the messages sent to one endpoint's peer, and the credits that came back.
type credits struct{ sent, back int }

// short reports whether n more messages might find no receive.
func (c credits) short(cfg *config, n int) bool { return c.sent-c.back*cfg.window()+n > cfg.recvs() }

// due reports whether a credit has not come yet that will come.
func (c credits) due(cfg *config) bool { return c.sent/cfg.window() > c.back }

// short is credits.short for an endpoint.
func (a *active) short(endpoint, n int) bool {
	return a.credits != nil && a.credits[endpoint].short(a.cfg, n)
}

// sent counts messages.
func (a *active) sent(endpoint, n int) {
	if a.credits != nil {
		a.credits[endpoint].sent += n
	}
}

// credit takes credits that have come.
func (a *active) credit() error {
	cs, err := a.completions(a.came)
	if err != nil {
		return err
	}
	for i := range cs {
		a.credits[int(cs[i].Cookie)/a.cfg.recvs()].back++
		if err := a.receive(cs[i].Endpoint, cs[i].Cookie); err != nil {
			return err
		}
	}
	return nil
}

// creditAll waits for all credits that are due, so that none comes later for an
// answer.
func (a *active) creditAll() error {
	for i := range a.credits {
		for a.credits[i].due(a.cfg) {
			if err := a.credit(); err != nil {
				return err
			}
		}
	}
	return nil
}

// took counts a message whose receive is posted again, and sends a credit when one is
// due.
func (p *passive) took(c *rdma.Completion) error {
	p.streamed++
	if !p.gives {
		return nil
	}
	i := int(c.Cookie) / p.cfg.recvs()
	if p.taken[i]++; p.taken[i]%p.cfg.window() != 0 {
		return nil
	}
	return p.ping(c.Endpoint, nil)
}
