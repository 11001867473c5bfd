//go:build linux || darwin

package dat_test

import (
	"fmt"
	"os"

	"github.com/godapl/godapl/compat/dat"
	"github.com/godapl/godapl/rdma/mem"
)

// exampleShared is memory that processes can share, which ends with the example.
func exampleShared(name string) (b []byte, done func()) {
	name = fmt.Sprintf("%s-%d", name, os.Getpid())
	shared, err := mem.OpenShared(name, 4096) // in C: shmget, or shm_open and mmap
	if err != nil {
		fmt.Println(err)
		return nil, func() {}
	}
	return shared.Bytes(), func() {
		shared.Close()
		mem.RemoveShared(name)
	}
}

func ExampleSharedMemory() {
	s := newExampleSide()
	defer dat.IAClose(s.ia, dat.CloseAbruptFlag)
	b, done := exampleShared("dat-example")
	defer done()
	cookie := dat.LMRCookie{'o', 'r', 'd', 'e', 'r', 's'} // all 40 bytes count
	var region dat.RegionDescription
	var lmr dat.LMRHandle
	var key dat.LMRContext
	region.ForSharedMemory = dat.SharedMemory{VirtualAddress: b, SharedMemoryID: &cookie}
	ret := dat.LMRCreate(s.ia, dat.MemTypeSharedVirtual, region, 4096, s.pz, dat.MemPrivAllFlag, &lmr, &key, nil, nil, nil)
	fmt.Println(ret == dat.Success)
	// Output: true
}

func ExampleLMRCookie() {
	s := newExampleSide()
	defer dat.IAClose(s.ia, dat.CloseAbruptFlag)
	b, done := exampleShared("dat-cookie")
	defer done()
	cookie := dat.LMRCookie{0: 'x', 39: 1}
	region := dat.RegionDescription{ForSharedMemory: dat.SharedMemory{VirtualAddress: b, SharedMemoryID: &cookie}}
	var first, second dat.LMRHandle
	ret := dat.LMRCreate(s.ia, dat.MemTypeSharedVirtual, region, 4096, s.pz, dat.MemPrivAllFlag, &first, nil, nil, nil, nil)
	fmt.Println(ret == dat.Success)
	// Later users of the cookie must register the same memory.
	region.ForSharedMemory.VirtualAddress = b[:2048]
	ret = dat.LMRCreate(s.ia, dat.MemTypeSharedVirtual, region, 2048, s.pz, dat.MemPrivAllFlag, &second, nil, nil, nil, nil)
	fmt.Println(ret.Type() == dat.InvalidParameter)
	// Output:
	// true
	// true
}
