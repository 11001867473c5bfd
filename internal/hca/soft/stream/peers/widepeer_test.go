package peers_test

import (
	"context"
	"encoding/binary"
	"errors"
	"net"
	"testing"

	"github.com/godapl/godapl/internal/hca"
)

// A peer that requests something else at a large service's port is rejected.
func TestForeignPeerAtAWideService(t *testing.T) {
	t.Parallel()
	s := newStation(t, hca.Options{})
	service := someService(t)
	v := s.listenAt(t, local(service))
	header := func(service uint64) []byte {
		return binary.BigEndian.AppendUint64([]byte("godapl\x00\x01"), service)
	}
	reach := func(private []byte) *peer {
		for _, port := range widePorts(service) {
			conn, err := net.Dial("tcp", local(port))
			if err != nil {
				continue
			}
			p := newPeer(t, conn)
			f := responder.frame
			f.Private = private
			p.sendRequest(f)
			return p
		}
		t.Fatal("it listens nowhere")
		return nil
	}
	for _, private := range [][]byte{nil, []byte("hello"), header(service)[:15], header(service + 1), header(7471)} {
		if reach(private).rejected(t); len(v.requests) > 0 {
			t.Errorf("private data %q was delivered", private)
		}
	}
	p := reach(append(header(service), "hello"...))
	r := v.request()
	if string(r.Private()) != "hello" {
		t.Errorf("private data %q", r.Private())
	}
	e := s.endpoint(t, depths{4, 4})
	result := e.accept(r, nil)
	p.takeReply()
	p.write(write(1, 0, ""))
	e.established(result)
	(&exchange{t, e, p}).alive()
}

// If all of its ports are taken, a service cannot be offered.
func TestWideServiceWithoutAPort(t *testing.T) {
	t.Parallel()
	s := newStation(t, hca.Options{})
	service := someService(t)
	var lc net.ListenConfig
	for _, port := range widePorts(service) {
		if ln, err := lc.Listen(context.Background(), "tcp", local(port)); err == nil {
			defer ln.Close()
		} // otherwise it is taken already
	}
	_, err := s.a.Listen(context.Background(), hca.ListenConfig{Address: local(service), OnRequest: func(hca.ConnRequest) bool { return false }})
	if !errors.Is(err, hca.ServiceInUse) {
		t.Errorf("listening: %v", err)
	}
}
