package fakeibv_test

import (
	"context"
	"errors"
	"net"
	"testing"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/verbs/fakeibv"
)

// Connect looks the peer's name up first. An abrupt disconnect and Close end that, too.
func TestLookupIsGivenUp(t *testing.T) {
	for name, end := range map[string]func(hca.QP) error{
		"disconnect": func(q hca.QP) error { return q.Disconnect(false) },
		"close":      func(q hca.QP) error { return q.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, fakeibv.Config{Seed: 1}, hca.Options{})
			asked, before := make(chan struct{}, 16), net.DefaultResolver
			net.DefaultResolver = &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
				asked <- struct{}{}
				<-ctx.Done() // a server that does not answer
				return nil, ctx.Err()
			}}
			defer func() { net.DefaultResolver = before }()
			e := r.newEnd(nil)
			done := make(chan error, 1)
			go func() { done <- e.qp.Connect(context.Background(), "nobody.invalid:7471", hca.ConnParams{}) }()
			<-asked
			r.must(end(e.qp))
			if err := <-done; !errors.Is(err, hca.Canceled) {
				t.Errorf("Connect: %v", err)
			}
		})
	}
}
