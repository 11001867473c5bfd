package sharedmem_test

import (
	"context"
	"testing"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/hcatest"
	"github.com/godapl/godapl/internal/hca/soft"
	"github.com/godapl/godapl/internal/hca/soft/sharedmem"
	"github.com/godapl/godapl/internal/hca/soft/softtest"
)

func shmHarness(name string) hcatest.Harness {
	d := soft.Driver("shm")
	return hcatest.Harness{
		Name: name, NoAllocations: true,
		Open: func(t hcatest.TB, opt hca.Options) hca.Adapter {
			a, err := d.Open(context.Background(), "soft-shm", opt)
			if err != nil {
				t.Fatalf("open: %v", err)
			}
			return a
		},
	}
}

// TestConformanceShm runs the suite over shared memory: both ends are in this
// process, but meet and talk as two processes do. Memory of the heap is reached
// through the kernel.
func TestConformanceShm(t *testing.T) { hcatest.Run(t, shmHarness("soft-shm")) }

// TestConformanceShmMapped is the same with memory that the peer maps.
func TestConformanceShmMapped(t *testing.T) {
	h := shmHarness("soft-shm, mapped")
	h.Memory = func(t hcatest.TB, n int) hca.Memory { return softtest.FileMemory(t, n) }
	hcatest.Run(t, h)
}

// TestPlainPostsConformShm is TestPlainPostsConform over memory that the peer maps, with
// every other such request posted in the plain form: the short ways and the long one
// meet in one queue.
func TestPlainPostsConformShm(t *testing.T) {
	h := shmHarness("soft-shm")
	open := h.Open
	h.Open = func(t hcatest.TB, opt hca.Options) hca.Adapter { return hcatest.PlainPosts(open(t, opt), 2) }
	h.Memory = func(t hcatest.TB, n int) hca.Memory { return softtest.FileMemory(t, n) }
	hcatest.Run(t, h)
}

// TestConformanceShmArena is the same with memory of the library that has no file: it is read
// through the kernel, and written to by its owner.
func TestConformanceShmArena(t *testing.T) {
	h := shmHarness("soft-shm, arena")
	h.Memory = func(_ hcatest.TB, n int) hca.Memory { return hca.Memory{Bytes: make([]byte, n), Own: true} }
	hcatest.Run(t, h)
}

// TestConformanceShmAsked is the same where the kernel lets no process at
// another's memory: the peer's own side does it all.
func TestConformanceShmAsked(t *testing.T) {
	defer sharedmem.WithoutProcessMemory()()
	hcatest.Run(t, shmHarness("soft-shm, asked"))
}
