package main

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	vk "github.com/valkey-io/valkey-go"
)

// sizes are the lengths of values: about the buffer of a connection and its multiples, and the
// largest that the tests have.
var sizes = []int{0, 1, 100, 1 << 10, 1<<16 + 1, 1<<20 - 1, 1 << 20, 1<<20 + 1, 3 << 20, 16 << 20}

func value(size int) []byte {
	b := make([]byte, size)
	_, _ = rand.NewChaCha8([32]byte{byte(size)}).Read(b)
	return b
}

// redisValues sets and gets values of all sizes by go-redis.
func redisValues(t *testing.T, c *redis.Client) {
	for _, size := range sizes {
		want := value(size)
		must(t, c.Set(t.Context(), "k", want, 0).Err())
		got, err := c.Get(t.Context(), "k").Bytes()
		if err != nil || !bytes.Equal(got, want) {
			t.Fatalf("%d bytes: got %d, %v", size, len(got), err)
		}
	}
}

// valkeyValues is redisValues by valkey-go.
func valkeyValues(t *testing.T, c vk.Client) {
	for _, size := range sizes {
		want := string(value(size))
		must(t, c.Do(t.Context(), c.B().Set().Key("v").Value(want).Build()).Error())
		got, err := c.Do(t.Context(), c.B().Get().Key("v").Build()).ToString()
		if err != nil || got != want {
			t.Fatalf("%d bytes: got %d, %v", size, len(got), err)
		}
	}
}

// pipeline sends many small commands at once.
func pipeline(t *testing.T, c *redis.Client, n int) {
	t.Helper()
	p := c.Pipeline()
	p.Set(t.Context(), "count", 0, 0)
	for range n {
		p.Incr(t.Context(), "count")
	}
	results, err := p.Exec(t.Context())
	must(t, err)
	for i, r := range results[1:] {
		if got := r.(*redis.IntCmd).Val(); got != int64(i+1) {
			t.Fatalf("answer %d is %d", i+1, got)
		}
	}
}

// many lets goroutines share the connection of valkey-go, which pipelines by itself.
func many(t *testing.T, c vk.Client, goroutines, each int) {
	done := make(chan error, goroutines)
	for g := range goroutines {
		go func() {
			for i := range each {
				key := fmt.Sprint(g, "/", i)
				if err := c.Do(context.Background(), c.B().Set().Key(key).Value(key).Build()).Error(); err != nil {
					done <- err
					return
				}
				if got, err := c.Do(context.Background(), c.B().Get().Key(key).Build()).ToString(); err != nil || got != key {
					done <- fmt.Errorf("%s: %q, %w", key, got, err)
					return
				}
			}
			done <- nil
		}()
	}
	for range goroutines {
		must(t, <-done)
	}
}

// publish sends n messages to a subscriber, which takes none of them before all are sent.
func publish(t *testing.T, c *redis.Client, n int) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	sub := c.Subscribe(ctx, "news")
	defer sub.Close()
	_, err := sub.Receive(ctx)
	must(t, err)
	for i := range n {
		must(t, c.Publish(ctx, "news", i).Err())
	}
	for i := range n {
		m, err := sub.ReceiveMessage(ctx)
		must(t, err)
		if m.Payload != fmt.Sprint(i) {
			t.Fatalf("message %d is %s", i, m.Payload)
		}
	}
}
