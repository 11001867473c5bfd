package peers_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"net"
	"slices"
	"strconv"
	"testing"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft"
	"github.com/godapl/godapl/internal/iwarp"
)

// Services above 65535, which only our own adapters know: eight ports, which
// the service's number chooses.

func widePorts(service uint64) (list []uint64) {
	var b [9]byte
	binary.BigEndian.PutUint64(b[:], service)
	for i := range byte(8) {
		b[8] = i
		h := fnv.New64a()
		_, _ = h.Write(b[:])
		list = append(list, 49152+h.Sum64()%16384)
	}
	return list
}

func local(service uint64) string {
	return net.JoinHostPort("127.0.0.1", strconv.FormatUint(service, 10))
}

// pair are two services that share their first port.
func pair(from uint64) (a, b uint64) {
	port := widePorts(from)[0]
	for b = from + 1; widePorts(b)[0] != port; b++ {
	}
	return from, b
}

func secondStation(t testing.TB) *station {
	t.Helper()
	d := soft.Driver("tcp")
	a, err := d.Open(context.Background(), d.Names()[0], hca.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.Close() })
	s := &station{a: a}
	if s.pd, err = a.NewPD(); err == nil {
		s.foreign, err = a.NewPD()
	}
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// meet connects two endpoints of ours and moves something.
func meet(t *testing.T, from *station, v *service, address string) {
	t.Helper()
	a, b := from.endpoint(t, depths{4, 4}), v.s.endpoint(t, depths{4, 4})
	connected := a.connect(address, []byte("hello"))
	r := v.request()
	if string(r.Private()) != "hello" {
		t.Errorf("private data %q", r.Private())
	}
	accepted := b.accept(r, []byte("welcome"))
	if info := a.established(connected); string(info.Private) != "welcome" || info.Remote != address {
		t.Errorf("connected with %+v", info)
	}
	b.established(accepted)
	b.recv(8)
	b.may = append(b.may, b.mem.recv.span(0, 8))
	a.post(hca.SendWR{Op: hca.OpSend, Local: a.mem.src.segment(0, 8)}, hca.StatusOK)
	b.received()
	a.done(hca.StatusOK)
	if err := a.qp.Disconnect(true); err != nil {
		t.Error(err)
	}
	b.over(hca.EventDisconnected)
	a.over(hca.EventDisconnected)
}

func refused(t *testing.T, s *station, address string) {
	t.Helper()
	e := s.endpoint(t, depths{4, 4})
	e.recv(8)
	if err := e.failed(e.connect(address, nil)); !errors.Is(err, hca.Refused) {
		t.Errorf("connecting to %s: %v, want that it is refused", address, err)
	}
}

func TestWideServices(t *testing.T) {
	t.Parallel()
	s, other := newStation(t, hca.Options{}), secondStation(t)
	base := uint64(1)<<40 + uint64(t.Context().Err2())
	_ = base
	for _, service := range []uint64{65536, 1 << 32, 1<<64 - 1} {
		t.Run(fmt.Sprint(service), func(t *testing.T) {
			v := s.listenAt(t, local(service))
			if v.address() != local(service) {
				t.Errorf("it listens at %s", v.address())
			}
			meet(t, other, v, local(service))
			refused(t, other, local(service+1<<20))
		})
	}
	s.bystander(t)
}

var _ = slices.Concat[[]byte]
var _ iwarp.Segment
