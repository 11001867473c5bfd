//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package mem_test

import (
	"errors"
	"fmt"
	"os"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mem"
)

func ExampleSharedMemory() {
	name := fmt.Sprintf("example-%d", os.Getpid())
	defer mem.RemoveShared(name)
	// Two processes would do this.
	one, err := mem.OpenShared(name, 4096)
	if err != nil {
		fmt.Println(err)
		return
	}
	two, _ := mem.OpenShared(name, 4096)
	copy(one.Bytes(), "seen by both")
	fmt.Printf("%s\n", two.Bytes()[:12])
	one.Close()
	two.Close()
	// Output: seen by both
}

func ExampleSharedID() {
	zone, done := exampleZone()
	defer done()
	name := fmt.Sprintf("example-%d", os.Getpid())
	defer mem.RemoveShared(name)
	shared, err := mem.OpenShared(name, 8192)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer shared.Close()
	id := mem.SharedID{0: 1, 39: 1}
	// Every process that registers under this id means the same bytes.
	region, err := zone.RegisterShared(shared.Bytes()[:4096], id, mem.Local)
	fmt.Println(region.Len(), err)
	_, err = zone.RegisterShared(shared.Bytes()[4096:], id, mem.Local)
	fmt.Println(errors.Is(err, rdma.ErrInvalid))
	_, err = zone.RegisterShared(make([]byte, 4096), mem.SharedID{2}, mem.Local)
	fmt.Println(errors.Is(err, rdma.ErrState)) // the heap is not shared
	// Output:
	// 4096 <nil>
	// true
	// true
}
