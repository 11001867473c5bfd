package fakeibv_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/verbs/fakeibv"
	"github.com/godapl/godapl/internal/hca/verbs/ibv"
)

// A device that has failed does not answer any more: calls that wait for a connection end at once
// and say so, and so do later ones of the queue pairs that it had.
func TestFatalWhileConnecting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, fakeibv.Config{Seed: 1, Stepped: true}, hca.Options{})
		x, y, z := r.newEnd(nil), r.newEnd(nil), r.newEnd(nil)
		_, connecting := r.request(x)
		r.w.Raise(0, ibv.EventDeviceFatal)
		r.steps()
		fails := func(what string, done <-chan error) {
			t.Helper()
			synctest.Wait()
			select {
			case err := <-done:
				if !errors.Is(err, hca.Broken) || !strings.Contains(err.Error(), "the device has failed") {
					t.Errorf("%s: %v", what, err)
				}
			default:
				t.Errorf("%s waits", what)
			}
		}
		fails("Connect", connecting)
		later := make(chan error, 1)
		go func() { later <- y.qp.Connect(context.Background(), "192.0.2.1:7", hca.ConnParams{}) }()
		fails("a later Connect", later)
		req, _ := r.request(r.newEnd(nil)) // a queue pair of a device that works again
		go func() { later <- req.Accept(context.Background(), z.qp, hca.ConnParams{}) }()
		fails("a later Accept", later)
	})
}
