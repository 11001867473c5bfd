package rdmatest_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mem"
	"github.com/godapl/godapl/rdma/rdmatest"
)

// TestCorrupt: a byte that changes on its way does not reach the program.
func TestCorrupt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := rdmatest.NewWorld(t, 3)
		client, server := w.Host("client"), w.Host("server")
		a, b := w.Pair(client, server)
		w.Settle()
		w.Link(client, server).Corrupt(rdmatest.AtByte(600))
		from, err := a.Zone().Alloc(1000, mem.All)
		must(t, err)
		into, err := b.Zone().Alloc(1000, mem.All)
		must(t, err)
		go func() { _ = a.Send(w.Context(), from.All()) }()
		if _, err := b.Recv(w.Context(), into.All()); !errors.Is(err, rdma.ErrBroken) {
			t.Errorf("a receive ended with %v", err)
		}
		if cause := context.Cause(b.Context()); cause == nil || !strings.Contains(cause.Error(), "CRC") || w.Fired()["corrupt"] != 1 {
			t.Errorf("%v, and the cause is %v", w.Fired(), cause)
		}
	})
}
