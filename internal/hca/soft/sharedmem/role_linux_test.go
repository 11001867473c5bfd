package sharedmem_test

import (
	"fmt"
	"os"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/shm"
)

// roleMemory is memory that others can map.
func roleMemory(n int) hca.Memory {
	if os.Getenv(denyVariable) != "" {
		return hca.Memory{Bytes: make([]byte, n)}
	}
	f, err := shm.CreateFile("role", int64(n), 0)
	if err == nil {
		var m *shm.Mapping
		if m, err = f.Map(0, n, shm.ReadWrite); err == nil {
			return hca.Memory{Bytes: m.Bytes(), File: uintptr(f.FD())}
		}
	}
	fmt.Println("failed:", err)
	os.Exit(1)
	return hca.Memory{}
}
