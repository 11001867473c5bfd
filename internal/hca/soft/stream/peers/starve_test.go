package peers_test

import (
	"bytes"
	"sync"
	"testing"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/iwarp"
)

// Many bad peers at once: they send slowly, request much and do not read it, send empty messages without end,
// or stop in the middle of a message. A good peer is served meanwhile, always within a test's patience.
func TestNuisancesStarveNobody(t *testing.T) {
	t.Parallel()
	s := newStation(t, hca.Options{ReceiveWait: -1})
	var peers sync.WaitGroup
	over := make(chan struct{})
	goOn := func() bool {
		select {
		case <-over:
			return false
		default:
			return true
		}
	}
	var ends []*endpoint
	for i := range 16 {
		e, p := s.open(t, roles[i%len(roles)], depths{4, 4})
		e.recv(8)
		e.busy()
		ends = append(ends, e)
		p.write(write(1, 0, ""))
		// None reads what this side has posted; one kind requests more besides.
		switch i % 4 {
		case 0: // one byte in each write
			long := iwarp.AppendTagged(nil, iwarp.TaggedHeader{Op: iwarp.OpWrite, Last: true, STag: e.mem.all.stag(), TO: iwarp.TO(e.mem.all.to(0))}, make([]byte, pieceSize), true)
			e.may = append(e.may, e.mem.all.span(0, pieceSize))
			peers.Go(func() {
				for goOn() {
					for j := range long {
						p.write(long[j : j+1])
					}
				}
			})
		case 1: // requests much, and does not read it
			k := newStuck(t, s, p)
			t.Cleanup(func() { _ = k.Close() })
			p.write(k.request(1), k.request(2))
		case 2: // empty messages
			many := bytes.Repeat(write(0xdead, 0xbeef, ""), 1000)
			peers.Go(func() {
				for goOn() {
					p.write(many)
				}
			})
		case 3: // stops in the middle
			p.write(send(1, "hello")[:7])
		}
	}
	for range 50 {
		s.bystander(t)
	}
	close(over)
	peers.Wait()
	for _, e := range ends {
		if len(e.events) > 0 {
			t.Errorf("a connection ended: %+v", <-e.events)
		}
		_ = e.qp.Disconnect(false)
		e.over(hca.EventDisconnected)
	}
	s.bystander(t)
}
