package main

import (
	"context"
	"errors"
	"net"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/valkey"
)

func TestGoRedis(t *testing.T) {
	onEveryPath(t, func(t *testing.T, adapter *rdma.Adapter, s *server) {
		c := goRedis(adapter, s.ln.Addr().String())
		defer c.Close()
		redisValues(t, c)
		pipeline(t, c, 10_000)
		publish(t, c, 2000)
	})
}

func TestValkeyGo(t *testing.T) {
	onEveryPath(t, func(t *testing.T, adapter *rdma.Adapter, s *server) {
		c, err := valkeyGo(adapter, s.ln.Addr().String())
		must(t, err)
		defer c.Close()
		valkeyValues(t, c)
		many(t, c, 20, 100)
	})
}

// TestSlowServer: a call with a time limit ends then, and the client goes on.
func TestSlowServer(t *testing.T) {
	onEveryPath(t, func(t *testing.T, adapter *rdma.Adapter, s *server) {
		dialer := valkey.Dialer{Adapter: adapter}
		c := redis.NewClient(&redis.Options{Addr: s.ln.Addr().String(), Dialer: dialer.DialContext, ContextTimeoutEnabled: true, MaxRetries: -1})
		defer c.Close()
		must(t, c.Set(t.Context(), "k", "v", 0).Err())
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		var timeout net.Error
		if err := c.Do(ctx, "BLPOP", "nothing", "0").Err(); !errors.As(err, &timeout) || !timeout.Timeout() {
			t.Errorf("a server that does not answer: %v", err)
		}
		if got, err := c.Get(t.Context(), "k").Result(); err != nil || got != "v" {
			t.Errorf("afterwards: %q, %v", got, err)
		}
	})
}

// TestRestart: calls fail while there is no server, and succeed when it is there again.
func TestRestart(t *testing.T) {
	onEveryPath(t, func(t *testing.T, adapter *rdma.Adapter, s *server) {
		address := s.ln.Addr().String()
		c := goRedis(adapter, address)
		defer c.Close()
		must(t, c.Set(t.Context(), "k", "v", 0).Err())
		waits := make(chan error, 1)
		go func() { waits <- c.Do(context.Background(), "BLPOP", "nothing", "0").Err() }()
		s.stop()
		if err := <-waits; err == nil {
			t.Error("a call that waits for a server that has ended succeeds")
		}
		if err := c.Get(t.Context(), "k").Err(); err == nil {
			t.Error("a call without a server succeeds")
		}
		s.listen(t, adapter, address)
		if got, err := c.Get(t.Context(), "k").Result(); err != nil || got != "v" {
			t.Errorf("after a restart: %q, %v", got, err)
		}
	})
}
