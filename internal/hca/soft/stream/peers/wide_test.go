package peers_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"net"
	"strconv"
	"sync"
	"testing"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft"
)

// Services above 65535, which only this library knows: eight ports, which the service's number determines.

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

// pair returns two services that share their first port.
func pair(from uint64) (a, b uint64) {
	port := widePorts(from)[0]
	for b = from + 1; widePorts(b)[0] != port; b++ {
	}
	return from, b
}

func secondStation(t testing.TB) *station {
	t.Helper()
	return newBare(t, soft.Driver("tcp"), hca.Options{})
}

// meet connects two endpoints and moves some data.
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

// someService is a large one that hardly anybody else uses at this time.
func someService(t testing.TB) uint64 {
	n := rand.Uint64() | 1<<60
	t.Logf("service %d", n)
	return n
}

func TestWideServices(t *testing.T) {
	t.Parallel()
	s, other := newStation(t, hca.Options{}), secondStation(t)
	for _, service := range []uint64{65536, someService(t), 1<<64 - 1} {
		t.Run(fmt.Sprint(service), func(t *testing.T) {
			v := s.listenAt(t, local(service))
			if v.address() != local(service) {
				t.Errorf("it listens at %s", v.address())
			}
			meet(t, other, v, local(service))
			refused(t, other, local(service^1<<40|1<<20))
		})
	}
	s.bystander(t)
}

// Another service may have the port: it says so, and the search goes on.
func TestWideServiceAtATakenPort(t *testing.T) {
	t.Parallel()
	s, other := newStation(t, hca.Options{}), secondStation(t)
	a, b := pair(someService(t))
	first := s.listenAt(t, local(a))
	refused(t, other, local(b))
	second := s.listenAt(t, local(b))
	third := other.listenAt(t, local(someService(t)))
	for range 2 {
		meet(t, other, first, local(a))
		meet(t, other, second, local(b))
		meet(t, s, third, third.address())
	}
	if err := first.l.Close(); err != nil {
		t.Error(err)
	}
	refused(t, other, local(a))
	meet(t, other, second, local(b))

	// An ordinary service, and a listener that does not speak iWARP.
	c, plain, ln := s.occupy(t)
	var server sync.WaitGroup
	defer server.Wait()
	defer ln.Close()
	server.Go(func() {
		for i := 0; ; i++ {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			if i%2 == 0 {
				_, _ = conn.Write([]byte("220 mail.example ESMTP\r\n"))
			}
			_ = conn.Close()
		}
	})
	refused(t, other, local(c))
	last := s.listenAt(t, local(c))
	meet(t, other, last, local(c))
	meet(t, other, last, local(c))
	meet(t, other, plain, plain.address())
	if len(first.requests)+len(second.requests)+len(plain.requests)+len(last.requests) > 0 {
		t.Error("a request came to the wrong service")
	}
	s.bystander(t)
}

// occupy puts an ordinary service and another listener at the first two ports of a large service.
func (s *station) occupy(t *testing.T) (service uint64, plain *service, ln net.Listener) {
	t.Helper()
	for range 100 { // another process may have a port
		service = someService(t)
		ports := widePorts(service)
		var err error
		if ln, err = net.Listen("tcp", local(ports[1])); err != nil {
			continue
		}
		if plain, err = s.tryListen(t, hca.ListenConfig{Address: local(ports[0])}); err == nil {
			return service, plain, ln
		}
		_ = ln.Close()
	}
	t.Fatal("no two ports are free")
	return 0, nil, nil
}
