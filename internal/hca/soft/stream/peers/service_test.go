package peers_test

import (
	"context"
	"testing"
	"time"

	"github.com/godapl/godapl/internal/hca"
)

// A service is a listener.
type service struct {
	t        testing.TB
	s        *station
	l        hca.Listener
	requests chan hca.ConnRequest
}

func (s *station) listen(t testing.TB) *service {
	t.Helper()
	return s.listenAt(t, "127.0.0.1:0")
}

func (s *station) listenAt(t testing.TB, address string) *service {
	t.Helper()
	v, err := s.tryListen(t, hca.ListenConfig{Address: address})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func (s *station) tryListen(t testing.TB, cfg hca.ListenConfig) (*service, error) {
	v := &service{t: t, s: s, requests: make(chan hca.ConnRequest, 16)}
	cfg.OnRequest = func(r hca.ConnRequest) bool {
		v.requests <- r
		return true
	}
	l, err := s.a.Listen(context.Background(), cfg)
	if err != nil {
		return nil, err
	}
	v.l = l
	t.Cleanup(func() { l.Close() })
	return v, nil
}

func (v *service) address() string { return v.l.Addr() }

// request waits for a request to be delivered.
func (v *service) request() hca.ConnRequest {
	v.t.Helper()
	select {
	case r := <-v.requests:
		return r
	case <-time.After(patience):
		v.t.Fatal("no request was delivered")
		return nil
	}
}
