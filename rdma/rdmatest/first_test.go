package rdmatest_test

import (
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mem"
	"github.com/godapl/godapl/rdma/rdmatest"
)

// firstLines is how long the first example of docs/testing.md may be.
const firstLines = 10

// TestThePageHasTheseTests: the first example of docs/testing.md is short, and is run here; so is the next.
func TestThePageHasTheseTests(t *testing.T) {
	page, err := os.ReadFile("../../docs/testing.md")
	must(t, err)
	here, err := os.ReadFile("first_test.go")
	must(t, err)
	blocks := strings.Split(string(page), "```")
	for i, n := range []int{firstLines, 100} {
		code, is := strings.CutPrefix(blocks[2*i+1], "go\n")
		if !is || strings.Count(code, "\n") > n || !strings.Contains(string(here), "\n"+code) {
			t.Errorf("example %d of the page has %d lines, of at most %d, and must be in first_test.go:\n%s", i+1, strings.Count(code, "\n"), n, code)
		}
	}
}

func TestAReceiverLearnsOfACut(t *testing.T) {
	rdmatest.Worlds(t, 20, func(t *testing.T, w *rdmatest.World) {
		_, b := w.Pair(w.Host("client"), w.Host("server"))
		w.Link(w.Host("client"), w.Host("server")).Cut(rdmatest.After(3 * time.Second))
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
