package fakeibv_test

import (
	"testing"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/verbs/fakeibv"
	"github.com/godapl/godapl/internal/hca/verbs/ibv"
)

// The callback for asynchronous events may close a connection, and one that takes long keeps no
// other connection from ending.
func TestCallbackClosesConnections(t *testing.T) {
	told, goOn, closed := make(chan hca.AsyncKind), make(chan struct{}), make(chan error, 1)
	var x, y *end
	r := newRig(t, fakeibv.Config{Seed: 1}, hca.Options{Async: func(ev hca.AsyncEvent) {
		told <- ev.Kind
		<-goOn
		closed <- x.qp.Close()
	}})
	x, y = r.newEnd(nil), r.newEnd(nil)
	p, q := r.newEnd(nil), r.newEnd(nil)
	r.connect(x, y)
	r.connect(p, q)
	r.w.Raise(0, ibv.EventPortErr)
	if kind := <-told; kind != hca.AsyncPortDown {
		t.Errorf("told %d", kind)
	}
	r.must(p.qp.Disconnect(false))
	p.wants(hca.EventDisconnected)
	q.wants(hca.EventDisconnected)
	close(goOn)
	r.must(<-closed)
	x.wants(hca.EventDisconnected)
	y.wants(hca.EventDisconnected)
}
