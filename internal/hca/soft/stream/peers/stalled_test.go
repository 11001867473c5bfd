package peers_test

import (
	"errors"
	"io"
	"sync"
	"testing"
	"time"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/iwarp"
)

// Peers that do not do their part.

// Closing does not wait for such a peer. What the peer reads afterwards is what was sent, not what the program
// has stored there since.
func TestPeerThatNeverReads(t *testing.T) {
	t.Parallel()
	s := newStation(t, hca.Options{})
	for name, end := range map[string]func(e *endpoint, p *peer) hca.ConnEventKind{
		"Close": func(e *endpoint, _ *peer) hca.ConnEventKind { return hca.EventDisconnected },
		"Disconnect": func(e *endpoint, _ *peer) hca.ConnEventKind {
			_ = e.qp.Disconnect(false)
			return hca.EventDisconnected
		},
		"malformed": func(e *endpoint, p *peer) hca.ConnEventKind {
			p.write(raw(0x41))
			ev := e.event(hca.EventBroken)
			e.events <- ev
			return hca.EventBroken
		},
	} {
		for _, r := range roles {
			t.Run(name+"/"+r.name, func(t *testing.T) {
				e, p := s.open(t, r, depths{4, 4})
				x := &exchange{t, e, p}
				p.write(write(1, 0, ""))
				e.recv(8)
				k := x.jam()
				s.jammed(t, p)
				kind := end(e, p)
				if err := e.qp.Close(); err != nil {
					t.Error(err)
				}
				e.event(kind)
				e.drain()
				e.ledger.balance(t)
				e.close()
				if err := k.Close(); err != nil {
					t.Error(err)
				}
				was := append([]byte(nil), k.bytes...)
				fill(k.bytes, 0xff)
				at := 0
				for {
					seg, err := p.next()
					if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || isReset(err) {
						break
					}
					if err != nil {
						t.Fatal(err)
					}
					if seg.Op != iwarp.OpWrite || len(seg.Payload) == 0 {
						continue
					}
					if at = int(seg.TO); string(seg.Payload) != string(was[at:at+len(seg.Payload)]) {
						t.Fatalf("the segment at %d holds other bytes", at)
					}
				}
				s.bystander(t)
			})
		}
	}
}

// The adapter closes in bounded time, whatever its peers do.
func TestCloseAdapterUnderStalledPeers(t *testing.T) {
	t.Parallel()
	s := secondStation(t)
	var ends []*endpoint
	for _, r := range roles {
		e, p := s.open(t, r, depths{4, 4})
		x := &exchange{t, e, p}
		p.write(write(1, 0, ""))
		e.recv(8)
		x.jam()
		ends = append(ends, e)
		// A peer that gets a Terminate and does not read it.
		e, p = s.open(t, r, depths{4, 4})
		e.recv(8)
		p.write(raw(0x41))
		e.over(hca.EventBroken)
		// A peer that waits for the answer to its request, and a silent one.
		v := s.listen(t)
		dial(t, v.address()).sendRequest(responder.frame)
		v.request()
		dial(t, v.address())
	}
	if err := s.a.Close(); err != nil {
		t.Error(err)
	}
	for _, e := range ends {
		e.event(hca.EventDisconnected)
		e.closed = true
	}
}

// This side reads from a peer that goes on sending after the Terminate for a bounded time only.
func TestPeerThatNeverStops(t *testing.T) {
	t.Parallel()
	s := newStation(t, hca.Options{})
	var wg sync.WaitGroup
	for _, r := range roles {
		e, p := s.open(t, r, depths{4, 4})
		e.recv(8)
		p.write(raw(0x41))
		e.over(hca.EventBroken)
		wg.Go(func() {
			junk := make([]byte, 1<<16)
			for deadline := time.Now().Add(patience); ; {
				if _, err := p.conn.Write(junk); err != nil {
					return
				}
				if time.Now().After(deadline) {
					t.Error("ours still listens")
					return
				}
			}
		})
	}
	s.bystander(t)
	wg.Wait()
}
