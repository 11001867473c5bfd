package peers_test

import (
	"context"
	"encoding/binary"
	"sync"
	"testing"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft"
	"github.com/godapl/godapl/internal/iwarp"
)

// A station is an adapter under test, with a connection to a good peer that must not notice anything.
type station struct {
	a           hca.Adapter
	pd, foreign hca.PD

	mu    sync.Mutex
	near  *endpoint
	far   *peer
	pings uint64
}

func newStation(t testing.TB, opt hca.Options) *station {
	t.Helper()
	return newStationOf(t, soft.Driver("tcp"), opt)
}

// newWrapped is a station over streams that are no plain sockets.
func newWrapped(t testing.TB, opt hca.Options) *station {
	t.Helper()
	return newStationOf(t, soft.FabricDriver("wrapped", wrapping{}), opt)
}

func newStationOf(t testing.TB, d hca.Driver, opt hca.Options) *station {
	t.Helper()
	s := newBare(t, d, opt)
	s.near, s.far = s.open(t, initiator, depths{4, 4})
	t.Cleanup(func() { s.bystander(t) })
	return s
}

// newBare is a station without the other connection.
func newBare(t testing.TB, d hca.Driver, opt hca.Options) *station {
	t.Helper()
	s := new(station)
	var err error
	if s.a, err = d.Open(context.Background(), d.Names()[0], opt); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.a.Close(); err != nil {
			t.Error(err)
		}
	})
	if s.pd, err = s.a.NewPD(); err != nil {
		t.Fatal(err)
	}
	if s.foreign, err = s.a.NewPD(); err != nil {
		t.Fatal(err)
	}
	return s
}

// bystander shows that the other connection still works, in both directions.
func (s *station) bystander(t testing.TB) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.near.recvAt = 0
	s.near.recv(8)
	s.pings++
	text := binary.BigEndian.AppendUint64(nil, s.pings)
	s.far.write(send(s.far.send, string(text)))
	s.far.send++
	wc := s.near.rcq.next(t)
	if wc.Status != hca.StatusOK || wc.Len != 8 {
		t.Errorf("the bystander's receive: %+v", wc)
	}
	s.near.mem.holds(t, s.near.mem.recv.span(0, 8), string(text))
	if err := s.near.qp.PostSend(hca.SendWR{Op: hca.OpWrite, Local: s.near.mem.src.segment(0, 8), Remote: s.pings, RKey: 7}); err != nil {
		t.Error(err)
		return
	}
	seg, err := s.far.next()
	if err != nil || seg.Op != iwarp.OpWrite || uint64(seg.TO) != s.pings || len(seg.Payload) != 8 {
		t.Errorf("the bystander's peer got %+v, %v", seg, err)
	}
	if wc := s.near.scq.next(t); wc.Status != hca.StatusOK {
		t.Errorf("the bystander's write: %+v", wc)
	}
}

// jammed returns when nothing has moved on p's stream for a good while, during which others were served: this
// side waits for p to read.
func (s *station) jammed(t testing.TB, p *peer) {
	t.Helper()
	for last, same := 0, 0; same < 30; same++ {
		s.bystander(t)
		if n := p.waiting(); n != last || n == 0 {
			last, same = n, 0
		}
	}
}
