package sharedmem_test

import (
	"context"
	"testing"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/hcatest"
	"github.com/godapl/godapl/internal/hca/soft"
	"github.com/godapl/godapl/internal/hca/soft/sharedmem"
	"github.com/godapl/godapl/internal/hca/soft/sharedmem/group"
	"github.com/godapl/godapl/internal/hca/soft/softtest"
)

func shmHarness(name string) hcatest.Harness {
	d := soft.Driver("shm")
	return hcatest.Harness{
		Name: name, NoAllocations: true, CountsWaits: true,
		Open: func(t hcatest.TB, opt hca.Options) hca.Adapter {
			a, err := d.Open(context.Background(), "soft-shm", opt)
			if err != nil {
				t.Fatalf("open: %v", err)
			}
			return a
		},
	}
}

// TestConformanceShm runs the suite over shared memory: both ends are in this process, but connect and
// communicate as two processes do. Heap memory is accessed through the kernel.
func TestConformanceShm(t *testing.T) { hcatest.Run(t, shmHarness("soft-shm")) }

// TestConformanceShmMapped runs the suite with memory that the peer maps.
func TestConformanceShmMapped(t *testing.T) {
	h := shmHarness("soft-shm, mapped")
	h.Memory = func(t hcatest.TB, n int) hca.Memory { return softtest.FileMemory(t, n) }
	hcatest.Run(t, h)
}

// TestPlainPostsConformShm is TestPlainPostsConform over memory that the peer maps, with every other plain
// request posted in the plain form: fast and slow paths meet in one queue.
func TestPlainPostsConformShm(t *testing.T) {
	h := shmHarness("soft-shm")
	open := h.Open
	h.Open = func(t hcatest.TB, opt hca.Options) hca.Adapter { return hcatest.PlainPosts(open(t, opt), 2) }
	h.Memory = func(t hcatest.TB, n int) hca.Memory { return softtest.FileMemory(t, n) }
	hcatest.Run(t, h)
}

// TestConformanceShmArena runs the suite with library memory that has no file: a peer reads it through the
// kernel, and only its owner writes it.
func TestConformanceShmArena(t *testing.T) {
	h := shmHarness("soft-shm, arena")
	h.Memory = func(_ hcatest.TB, n int) hca.Memory { return hca.Memory{Bytes: make([]byte, n), Own: true} }
	hcatest.Run(t, h)
}

// TestConformanceShmAsked runs the suite where the kernel lets no process access another's memory: the peer
// itself carries everything out.
func TestConformanceShmAsked(t *testing.T) {
	defer sharedmem.WithoutProcessMemory()()
	hcatest.Run(t, shmHarness("soft-shm, asked"))
}

// TestConformanceShmCrowded runs the suite with all sleepers at boards, also those that sleep alone.
func TestConformanceShmCrowded(t *testing.T) {
	defer group.CrowdEverywhere()()
	hcatest.Run(t, shmHarness("soft-shm, crowded"))
}

// TestConformanceShmGrouped runs the suite with all connections in groups, also those that are alone there.
func TestConformanceShmGrouped(t *testing.T) {
	defer group.Everywhere()()
	hcatest.Run(t, shmHarness("soft-shm, grouped"))
}
