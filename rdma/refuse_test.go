package rdma_test

import (
	"context"
	"errors"
	"testing"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mem"
)

// TestRefuse: what an endpoint refuses, no key allows, and nothing else changes.
func TestRefuse(t *testing.T) {
	onEveryPath(t, func(t *testing.T, name string) {
		x, y := newSide(t, name), newSide(t, name)
		for rights, code := range map[mem.Rights]rdma.Code{mem.LocalRead | mem.RemoteWrite: rdma.ErrInvalid, mem.RemoteWrite: rdma.ErrUnsupported} {
			if e, err := x.adapter.NewEndpoint(rdma.EndpointConfig{Zone: x.zone, Refuse: rights}); err == nil {
				e.Close()
				if !x.adapter.Attributes().Caps.Refuse {
					t.Error("it has no capability for this")
				}
			} else {
				wantCode(t, err, code, "")
			}
		}
		if !x.adapter.Attributes().Caps.Refuse {
			return
		}
		ln := listen(t, y.adapter)
		accepted := make(chan *rdma.Conn, 1)
		go func() {
			if r, ok := <-ln.Requests(); ok {
				conn, _ := r.Accept(within(t), rdma.EndpointConfig{Zone: y.zone, Refuse: mem.RemoteWrite})
				accepted <- conn
			}
		}()
		c, err := x.adapter.Dial(within(t), ln.Addr().String(), rdma.EndpointConfig{Zone: x.zone})
		must(t, err)
		defer c.Close()
		if _, err = c.Read(within(t), x.mem.Slice(0, 8), y.mem.Slice(0, 8).Remote()); err != nil {
			t.Error(err)
		}
		y.mem.WriteAt([]byte("kept"), 0)
		must(t, c.PostWrite(rdma.Write{From: x.mem.Slice(8, 4), To: y.mem.Slice(0, 4).Remote()}))
		<-c.Context().Done()
		theirs := <-accepted
		<-theirs.Context().Done()
		var e *rdma.Error
		if cause := context.Cause(theirs.Context()); !errors.As(cause, &e) || e.Refused != rdma.OpWrite || e.Status != rdma.StatusRemoteAccess {
			t.Errorf("the cause is %v, which tells %v (%v)", cause, e.Refused, e.Status)
		}
		if got := string(y.mem.Bytes()[:4]); got != "kept" {
			t.Errorf("a refused write left %q", got)
		}
	})
}
