package mem_test

import (
	"errors"
	"fmt"
	"os"
	"testing"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/rdma/mem"
)

// TestRefusedSharedMemory: memory that could not be mapped was not created. The next call decides how
// large it is.
func TestRefusedSharedMemory(t *testing.T) {
	if ^uint(0)>>63 == 0 {
		t.Skip("every size that can be said can be mapped, or not even be said to the file")
	}
	name := fmt.Sprintf("test-%d-%s", os.Getpid(), t.Name())
	t.Cleanup(func() { mem.RemoveShared(name) })
	huge := uint64(1) << 58 // more than processors address
	if s, err := mem.OpenShared(name, int(huge)); err == nil {
		s.Close()
		t.Fatal("memory without end")
	}
	first, err := mem.OpenShared(name, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close()
	second, err := mem.OpenShared(name, 2*mem.PageSize())
	if err == nil {
		second.Close()
	}
	if !errors.Is(err, hca.Invalid) {
		t.Errorf("%v, want that there is only one page", err)
	}
}
