package rdmatest_test

import (
	"fmt"
	"testing"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mem"
	"github.com/godapl/godapl/rdma/rdmatest"
)

// readsUntil reads n times, and fails if the connection does.
func readsUntil(t *testing.T, w *rdmatest.World, n int) {
	a, b := w.Pair(w.Host("client"), w.Host("server"))
	w.Fail(rdma.OpRead, rdma.StatusTransport, rdmatest.Nth(4))
	page, _ := a.Zone().Alloc(4096, mem.Local)
	there, _ := b.Zone().Alloc(4096, mem.All)
	for range n {
		if _, err := a.Read(w.Context(), page.All(), there.All().Remote()); err != nil {
			t.Fatal(err)
		}
	}
}

func TestShorten(t *testing.T) {
	if n := rdmatest.Shorten(1, 10, readsUntil); n != 4 {
		t.Errorf("the fourth read fails, and the shortest program has %d", n)
	}
	if n := rdmatest.Shorten(1, 3, readsUntil); n != 0 {
		t.Errorf("a program with %d reads failed", n)
	}
}

func ExampleShorten() {
	fmt.Println(rdmatest.Shorten(1, 10, readsUntil)) // its fourth read fails
	// Output:
	// 4
}
