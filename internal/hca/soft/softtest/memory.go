package softtest

import (
	"os"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/hcatest"
	"github.com/godapl/godapl/internal/shm"
)

// FileMemory returns n bytes that begin inside a memory file.
func FileMemory(t hcatest.TB, n int) hca.Memory {
	t.Helper()
	page := os.Getpagesize()
	size := (n + 2*page - 1) / page * page
	f, err := shm.CreateFile("test", int64(size), 0)
	if err != nil {
		t.Fatalf("%v", err)
	}
	m, err := f.Map(0, size, shm.ReadWrite)
	if err != nil {
		t.Fatalf("%v", err)
	}
	t.Cleanup(func() { m.Unmap(); f.Close() })
	const off = 64
	return hca.Memory{Bytes: m.Bytes()[off : off+n : off+n], File: uintptr(f.FD()), Offset: off, Own: true}
}
