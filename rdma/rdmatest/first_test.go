package rdmatest_test

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mem"
	"github.com/godapl/godapl/rdma/rdmatest"
)

func TestAReceiverLearnsOfACut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := rdmatest.NewWorld(t, 17)
		client, server := w.Host("client"), w.Host("server")
		_, b := w.Pair(client, server)
		w.Link(client, server).Cut(rdmatest.After(3 * time.Second))
		page, _ := b.Zone().Alloc(4096, mem.Local)
		if _, err := b.Recv(w.Context(), page.All()); !errors.Is(err, rdma.ErrBroken) {
			t.Error(err)
		}
	})
}

func TestMyProgramInManyWorlds(t *testing.T) {
	rdmatest.Worlds(t, 50, func(t *testing.T, w *rdmatest.World) {
		client, server := w.Host("client"), w.Host("server")
		draw := w.Rand("faults")
		w.Link(client, server).Latency(time.Duration(draw.IntN(50)) * time.Millisecond)
		a, b := w.Pair(client, server)
		w.Link(client, server).Cut(rdmatest.AtByte(1 + draw.IntN(20_000)))
		page, _ := a.Zone().Alloc(4096, mem.Local)
		there, _ := b.Zone().Alloc(4096, mem.All)
		for {
			n, err := a.Read(w.Context(), page.All(), there.All().Remote())
			switch {
			case errors.Is(err, rdma.ErrBroken):
				return // as it must, some day
			case err != nil || n != 4096:
				t.Fatal(n, err)
			}
		}
	})
}

func TestMyProgramInChaoticManyWorlds(t *testing.T) {
	rdmatest.Worlds(t, 50, func(t *testing.T, w *rdmatest.World) {
		a, b := w.Pair(w.Host("client"), w.Host("server"))
		page, _ := a.Zone().Alloc(4096, mem.Local)
		there, _ := b.Zone().Alloc(4096, mem.All)
		w.Chaos(0.05)
		for range 30 {
			_, err := a.Read(w.Context(), page.All(), there.All().Remote())
			switch {
			case err == nil:
			case errors.Is(err, rdma.ErrBroken), errors.Is(err, rdma.ErrDisconnected), errors.Is(err, rdma.ErrWork): // it is over
				return
			case !errors.Is(err, rdma.ErrResources): // of a call that is made to fail, and may be tried again
				t.Fatal(err)
			}
		}
	})
}
