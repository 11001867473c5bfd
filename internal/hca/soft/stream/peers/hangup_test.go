package peers_test

import (
	"slices"
	"testing"
	"time"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/iwarp"
)

// A message waits for a receive, for longer than a test waits, and the peer goes away meanwhile.

func TestPeerGoesWhileItsMessageWaits(t *testing.T) {
	t.Parallel()
	opt := hca.Options{ReceiveWait: time.Hour}
	for name, s := range map[string]*station{"socket": newStation(t, opt), "wrapped": newWrapped(t, opt)} {
		for _, polling := range []bool{false, true} {
			for _, r := range roles {
				if polling {
					r.name += ", polling"
				}
				r.polling = polling
				t.Run(name+"/"+r.name, func(t *testing.T) { goes(t, s, r, name == "socket") })
			}
		}
	}
}

func goes(t *testing.T, s *station, r role, socket bool) {
	whole, part := send(1, "hello"), sendPart(iwarp.OpSend, 1, 0, "hel", false)
	for name, c := range map[string]struct {
		data []byte
		go_  func(p *peer)
	}{
		"reset":                               {whole, (*peer).reset},
		"FIN and reset":                       {whole, func(p *peer) { p.fin(); s.bystander(t); p.reset() }},
		"FIN inside the message":              {part, (*peer).fin},
		"FIN inside an FPDU of the message":   {slices.Concat(part, sendPart(iwarp.OpSend, 1, 3, "lo", true)[:11]), (*peer).fin},
		"FIN inside a message behind it":      {slices.Concat(whole, sendPart(iwarp.OpSend, 2, 0, "wor", false)), (*peer).fin},
		"FIN inside an FPDU behind it":        {slices.Concat(whole, send(2, "world")[:20]), (*peer).fin},
		"FIN inside a message with much else": {slices.Concat(whole, slices.Repeat(write(1, 0, ""), 2000), sendPart(iwarp.OpSend, 2, 0, "wor", false)), (*peer).fin},
	} {
		if name == "FIN and reset" && !socket {
			continue // nobody reads after the end of such a stream
		}
		t.Run(name, func(t *testing.T) {
			e, p := s.open(t, r, depths{4, 4})
			e.busy()
			stop := func() {}
			if r.polling {
				stop = e.poll()
			}
			p.write(c.data)
			s.bystander(t)
			c.go_(p)
			ev := e.event(hca.EventBroken)
			stop()
			e.end(ev)
			s.bystander(t)
		})
	}
	// The program gets whole messages if it posts receives.
	t.Run("FIN behind whole messages", func(t *testing.T) {
		e, p := s.open(t, r, depths{4, 4})
		p.write(whole, send(2, "world"))
		p.fin()
		s.bystander(t)
		s.bystander(t)
		if len(e.events) > 0 {
			t.Errorf("the end was reported before the messages: %+v", <-e.events)
		}
		e.recv(8)
		e.recv(8)
		e.received()
		e.received()
		x := &exchange{t, e, p}
		x.may(e.mem.recv, 0, 16)
		e.mem.holds(t, e.mem.recv.span(0, 5), "hello")
		e.mem.holds(t, e.mem.recv.span(8, 5), "world")
		e.over(hca.EventDisconnected)
	})
}

// TestPeerGoesWhileItsMessageWaitsAndAConsumerIsParked: the consumer wakes for each arrival, and reads nothing.
func TestPeerGoesWhileItsMessageWaitsAndAConsumerIsParked(t *testing.T) {
	t.Parallel()
	s := newStation(t, hca.Options{ReceiveWait: time.Hour})
	for _, r := range roles {
		t.Run(r.name, func(t *testing.T) {
			e, p := s.open(t, r, depths{4, 4})
			stop := e.park()
			p.write(sendPart(iwarp.OpSend, 1, 0, "hel", false))
			s.bystander(t)
			p.fin()
			ev := e.event(hca.EventBroken)
			stop()
			e.end(ev)
		})
	}
}
