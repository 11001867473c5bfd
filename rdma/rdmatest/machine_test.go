package rdmatest_test

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mem"
	"github.com/godapl/godapl/rdma/rdmatest"
)

func needsLinux(t *testing.T) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("processes share memory on Linux only")
	}
}

// TestProcessesOfAMachineShareMemory: what they send goes over memory, whatever its size, and to another host over the
// network.
func TestProcessesOfAMachineShareMemory(t *testing.T) {
	needsLinux(t)
	rdmatest.Worlds(t, 20, func(t *testing.T, w *rdmatest.World) {
		hosts := w.Machine("shop", "stock")
		a, b := w.Pair(hosts[0], hosts[1]) // a.Path() is "shm"
		if path := a.Path(); path != "shm" {
			t.Fatalf("the path is %q", path)
		}
		if c, _ := w.Pair(hosts[0], w.Host("c")); c.Path() != "fabric" && c.Path() != "tcp" {
			t.Fatalf("the path to another host is %q", c.Path())
		}
		const most = 100_000
		from, err := a.Zone().Alloc(most, mem.All)
		must(t, err)
		to, err := b.Zone().Alloc(most, mem.All)
		must(t, err)
		draw := w.Rand("sizes")
		for i := range 20 {
			n := 1 + draw.IntN([]int{64, 4096, most}[i%3])
			for k := range from.Bytes()[:n] {
				from.Bytes()[k] = byte(i + k)
			}
			done := make(chan error, 1)
			go func() {
				got, err := b.Recv(w.Context(), to.All())
				if err == nil && (got != n || to.Bytes()[n-1] != byte(i+n-1)) {
					err = errors.New("another message came")
				}
				done <- err
			}()
			must(t, a.Send(w.Context(), from.Slice(0, n)))
			must(t, <-done)
			if n, err := a.Read(w.Context(), from.All(), to.All().Remote()); err != nil || n != from.Len() {
				t.Fatal(n, err)
			}
		}
	})
}

// TestAProcessOfAMachineDies: its neighbour learns of that as from the system, and not from the process.
func TestAProcessOfAMachineDies(t *testing.T) {
	needsLinux(t)
	rdmatest.Worlds(t, 20, func(t *testing.T, w *rdmatest.World) {
		hosts := w.Machine("a", "b")
		_, b := w.Pair(hosts[0], hosts[1])
		page, err := b.Zone().Alloc(4096, mem.Local)
		must(t, err)
		done := make(chan error, 1)
		go func() {
			_, err := b.Recv(w.Context(), page.All())
			done <- err
		}()
		w.Settle()
		hosts[0].Kill()
		if err := <-done; !errors.Is(err, rdma.ErrBroken) || !strings.Contains(err.Error(), "the peer's process has ended") {
			t.Fatal(err)
		}
		hosts[0].Restart()
		if c, _ := w.Pair(hosts[0], hosts[1]); c.Path() != "shm" {
			t.Fatal("the second life has another path")
		}
	})
}

// TestMachinesRepeat: a seed is one history, also over shared memory.
func TestMachinesRepeat(t *testing.T) {
	needsLinux(t)
	differs := rdmatest.Replay(t, 5, func(t *testing.T, w *rdmatest.World) {
		hosts := w.Machine("a", "b")
		a, b := w.Pair(hosts[0], hosts[1])
		page, _ := a.Zone().Alloc(50_000, mem.All)
		there, _ := b.Zone().Alloc(50_000, mem.All)
		for i := range 10 {
			if n, err := a.Write(w.Context(), page.Slice(0, 1+5_000*i), there.All().Remote()); err != nil {
				t.Fatal(n, err)
			}
			if _, err := b.Read(w.Context(), there.All(), page.All().Remote()); err != nil {
				t.Fatal(err)
			}
		}
		if !strings.Contains(strings.Join(w.Trace(), "\n"), "ring a>b:shm/") {
			t.Error("no doorbell has rung")
		}
	})
	if differs != "" {
		t.Error(differs)
	}
}

// TestChaosStrikesProcessesOfAMachine, also when there is no stream any more between them.
func TestChaosStrikesProcessesOfAMachine(t *testing.T) {
	needsLinux(t)
	fired := map[string]int{}
	rdmatest.Worlds(t, 40, func(t *testing.T, w *rdmatest.World) {
		hosts := w.Machine("shop", "stock")
		a, b := w.Pair(hosts[0], hosts[1])
		hosts[1].Run(func(ctx context.Context) { <-ctx.Done() })
		w.Settle()
		page, err := a.Zone().Alloc(4096, mem.All)
		must(t, err)
		there, err := b.Zone().Alloc(4096, mem.All)
		must(t, err)
		w.Chaos(0.2)
		for range 50 {
			if b.PostRecv(rdma.Recv{Into: there.All()}) != nil || a.Send(w.Context(), page.Slice(0, 100)) != nil {
				break
			}
			if _, _, err := b.RecvCompletions().Wait(w.Context(), 1); err != nil {
				break
			}
		}
		for what, n := range w.Fired() {
			fired[what] += n
		}
	})
	for _, what := range []string{"stop", "kill", "late", "async adapter failed"} {
		if fired[what] == 0 {
			t.Errorf("%s never happens: %v", what, fired)
		}
	}
	for _, what := range []string{"cut", "partition", "latency", "slow reader"} {
		if fired[what] != 0 {
			t.Errorf("%s happens between processes that share memory: %v", what, fired)
		}
	}
}
