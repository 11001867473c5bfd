package rdmatest_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mem"
	"github.com/godapl/godapl/rdma/rdmatest"
)

// pairIn connects two hosts of a new world; each has n bytes of memory.
func pairIn(t *testing.T, seed uint64, n int) (w *rdmatest.World, l *rdmatest.Link, a, b *rdma.Conn, ra, rb mem.Slice) {
	w = rdmatest.NewWorld(t, seed)
	server, client := w.Host("server"), w.Host("client")
	a, b = joined(t, w, server, client)
	x, err := a.Zone().Alloc(n, mem.All)
	must(t, err)
	y, err := b.Zone().Alloc(n, mem.All)
	must(t, err)
	return w, w.Link(server, client), a, b, x.Slice(0, n), y.Slice(0, n)
}

// TestLatencyAndBandwidth: a read takes what its request and its response take.
func TestLatencyAndBandwidth(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, l, a, _, ra, rb := pairIn(t, 1, 100_000)
		l.Latency(5 * time.Millisecond).Bandwidth(1_000_000)
		before := time.Now()
		_, err := a.Read(w.Context(), ra, rb.Remote())
		must(t, err)
		if took := time.Since(before); took < 110*time.Millisecond || took > 120*time.Millisecond {
			t.Errorf("100 kB at 1 MB a second and 5 ms each way took %v", took)
		}
	})
}

// TestCutAtEveryByte loses the connection at each byte of a write and of a read: both ends learn of it, and
// nothing is delivered behind it.
func TestCutAtEveryByte(t *testing.T) {
	for n := 1; n < 160; n += 3 {
		synctest.Test(t, func(t *testing.T) {
			w, l, a, b, ra, rb := pairIn(t, uint64(n), 64)
			w.Settle()
			w.Note("now")
			l.Cut(rdmatest.AtByte(n))
			_, err := a.Write(w.Context(), ra, rb.Remote())
			if err == nil {
				_, err = a.Read(w.Context(), ra, rb.Remote())
			}
			if err == nil {
				t.Fatalf("all of it passed, cut at byte %d", n)
			}
			for _, c := range []*rdma.Conn{a, b} {
				<-c.Context().Done()
				if err := context.Cause(c.Context()); !errors.Is(err, rdma.ErrBroken) {
					t.Errorf("cut at byte %d: the connection ended with %v", n, err)
				}
			}
			if sum := delivered(w.Trace()); sum != n {
				t.Errorf("%d bytes came before the cut at byte %d", sum, n)
			}
		})
	}
}

// delivered counts the bytes that arrived behind the last note.
func delivered(trace []string) (sum int) {
	from := 0
	for i, line := range trace {
		if strings.Contains(line, "note") {
			from = i
		}
	}
	for _, line := range trace[from:] {
		var at, way, dir string
		var n int
		if k, _ := fmt.Sscanf(strings.TrimSpace(line), "%s deliver %s %s %d bytes", &at, &way, &dir, &n); k == 4 {
			sum += n
		}
	}
	return sum
}

// TestPartition: nothing passes while it lasts, nobody learns of it, and then all of it arrives.
func TestPartition(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, l, a, _, ra, rb := pairIn(t, 1, 64)
		w.Settle()
		l.Partition(rdmatest.Now()).Heal(rdmatest.After(20 * time.Second))
		before := time.Now()
		_, err := a.Read(w.Context(), ra, rb.Remote())
		must(t, err)
		if took := time.Since(before); took != 20*time.Second {
			t.Errorf("through a partition of 20 s in %v", took)
		}
	})
}

// TestStop: a stopped process answers nothing, and goes on where it was.
func TestStop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, _, a, _, ra, rb := pairIn(t, 1, 64)
		w.Host("server").Stop()
		before := time.Now()
		time.AfterFunc(7*time.Second, w.Host("server").Continue)
		_, err := a.Read(w.Context(), ra, rb.Remote())
		must(t, err)
		if took := time.Since(before); took != 7*time.Second {
			t.Errorf("a process that was stopped for 7 s answered after %v", took)
		}
	})
}

// TestSlowReader: its peer waits for it.
func TestSlowReader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, _, a, _, ra, rb := pairIn(t, 1, 10_000)
		w.Host("server").SlowReader(1000)
		before := time.Now()
		_, err := a.Write(w.Context(), ra, rb.Remote())
		must(t, err)
		_, err = a.Read(w.Context(), ra.Slice(0, 1), rb.Slice(0, 1).Remote())
		must(t, err)
		if took := time.Since(before); took < 9*time.Second || took > 12*time.Second {
			t.Errorf("10 kB to a reader of 1 kB a second took %v", took)
		}
	})
}

// TestKillAndRestart: the peer learns of it, nobody answers, and then a new process does.
func TestKillAndRestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, _, a, b, _, _ := pairIn(t, 1, 64)
		server := w.Host("server")
		server.Kill()
		<-a.Context().Done()
		<-b.Context().Done()
		if err := context.Cause(a.Context()); !errors.Is(err, rdma.ErrBroken) {
			t.Errorf("the peer of a killed process learned %v", err)
		}
		dial := func() error {
			_, err := a.Zone().Adapter().Dial(w.Context(), "server:7471", rdma.EndpointConfig{Zone: a.Zone()})
			return err
		}
		if err := dial(); !errors.Is(err, rdma.ErrRefused) {
			t.Errorf("dialled a dead host: %v", err)
		}
		if _, err := server.Open(w.Context(), rdma.OpenConfig{}); !errors.Is(err, rdma.ErrUnreachable) {
			t.Errorf("opened an adapter of a dead host: %v", err)
		}
		server.Restart()
		s, err := server.Open(w.Context(), rdma.OpenConfig{})
		must(t, err)
		zone, err := s.NewZone()
		must(t, err)
		ln, err := s.Listen(w.Context(), "server:7471", rdma.ListenConfig{})
		must(t, err)
		go func() { (<-ln.Requests()).Accept(w.Context(), rdma.EndpointConfig{Zone: zone}) }()
		must(t, dial())
	})
}

// TestAddresses: what is no address, nobody's or taken.
func TestAddresses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := rdmatest.NewWorld(t, 1)
		h := w.Host("here")
		if w.Host("here") != h || w.Link(h, w.Host("b")) != w.Link(w.Host("b"), h) {
			t.Error("two of the same")
		}
		a, err := h.Open(w.Context(), rdma.OpenConfig{})
		must(t, err)
		if at := a.Attributes().Address; at != "here" {
			t.Errorf("its address is %s", at)
		}
		zone, err := a.NewZone()
		must(t, err)
		for address, want := range map[string]rdma.Code{"nobody:1": rdma.ErrBadAddress, "here:1": rdma.ErrRefused, "here": rdma.ErrBadAddress} {
			if _, err := a.Dial(w.Context(), address, rdma.EndpointConfig{Zone: zone}); !errors.Is(err, want) {
				t.Errorf("dial %s: %v, want %v", address, err, want)
			}
		}
		ln, err := a.Listen(w.Context(), ":0", rdma.ListenConfig{})
		must(t, err)
		for address, want := range map[string]rdma.Code{ln.Addr().String(): rdma.ErrServiceInUse, "b:1": rdma.ErrBadAddress} {
			if _, err := a.Listen(w.Context(), address, rdma.ListenConfig{}); !errors.Is(err, want) {
				t.Errorf("listen at %s: %v, want %v", address, err, want)
			}
		}
	})
}

// TestADifferenceIsReported: a program that makes choices of its own is told where.
func TestADifferenceIsReported(t *testing.T) {
	runs := 0
	differs := rdmatest.Replay(t, 1, func(t *testing.T, w *rdmatest.World) {
		w.Note("both")
		runs++
		w.Note("run %d", runs)
	})
	if !strings.Contains(differs, "step 1") || !strings.Contains(differs, "run 1") || !strings.Contains(differs, "run 2") {
		t.Errorf("the difference was %q", differs)
	}
}

// TestSeedsDiffer: other seeds are other histories.
func TestSeedsDiffer(t *testing.T) {
	var hashes []uint64
	for seed := range uint64(20) {
		synctest.Test(t, func(t *testing.T) {
			w := rdmatest.NewWorld(t, seed)
			talk(t, w, 3)
			hashes = append(hashes, w.Hash())
		})
	}
	slices.Sort(hashes)
	if n := len(slices.Compact(hashes)); n < 15 {
		t.Errorf("20 seeds made %d histories", n)
	}
}

// TestStuck: a test that waits for what never comes fails, and tells why.
func TestStuck(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		no := &failing{TB: t}
		w := rdmatest.NewWorld(no, 1)
		<-w.Context().Done()
		if err := context.Cause(w.Context()); err != rdmatest.ErrStuck || !no.failed {
			t.Errorf("it ended with %v, failed: %v", err, no.failed)
		}
		for _, end := range slices.Backward(no.cleanups) {
			end()
		}
	})
}
