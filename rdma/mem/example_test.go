package mem_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"math"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mem"
)

// exampleZone gives a zone of an adapter that stays in this process.
func exampleZone() (zone *rdma.Zone, done func()) {
	adapter, err := rdma.Open(context.Background(), "soft-loop", rdma.OpenConfig{})
	if err != nil {
		log.Fatal(err)
	}
	zone, err = adapter.NewZone()
	if err != nil {
		log.Fatal(err)
	}
	return zone, func() { adapter.Close() }
}

func ExampleRegion() {
	zone, done := exampleZone()
	defer done()
	// Memory of the library: whole pages.
	pages, err := zone.Alloc(100, mem.Local|mem.RemoteRead)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(pages.Len()%mem.PageSize(), pages.Rights(), pages.RemoteKey() != 0)
	// Memory of the program: just its bytes.
	mine, err := zone.Register([]byte("my own bytes"), mem.LocalRead)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(mine.Len(), mine.Rights(), mine.RemoteKey() != 0)
	// Freed, it is an error and not a fault.
	mine.Free()
	_, err = mine.ReadAt(make([]byte, 2), 0)
	fmt.Println(errors.Is(err, rdma.ErrClosed))
	// Output:
	// 0 local-read+local-write+remote-read true
	// 12 local-read false
	// true
}

func ExampleSlice() {
	zone, done := exampleZone()
	defer done()
	region, _ := zone.Register([]byte("0123456789"), mem.LocalRead)
	part := region.Slice(2, 6).Slice(1, 3)
	fmt.Printf("%s at %d\n", part.Bytes(), part.Offset())
	wrong := part.Slice(2, 2)
	fmt.Println(wrong.Bytes() == nil, wrong.Err())
	// Output:
	// 345 at 3
	// true slice memory: invalid parameter: 2 bytes at offset 2 are not inside 3 bytes
}

func ExampleRemote() {
	owner := mem.Remote{Key: 0x2a, Addr: 0x7f0000001000, Length: 4096}
	b, _ := owner.MarshalBinary() // to be sent to the peer
	fmt.Println(len(b))

	var remote mem.Remote
	if err := remote.UnmarshalBinary(b); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(remote.Slice(16, 8))
	fmt.Println(remote.UnmarshalBinary(b[1:]))
	// Output:
	// 20
	// 0x7f0000001010+8 key 0x0000002a
	// unmarshal remote memory: invalid parameter: want 20 bytes and at most zeros behind them, have 19
}

func ExampleRights() {
	fmt.Println(mem.LocalRead|mem.RemoteRead, mem.Rights(0))
	// Output: local-read+remote-read none
}

func ExampleKey() {
	zone, done := exampleZone()
	defer done()
	region, _ := zone.Alloc(1, mem.Local) // no right for peers, so no key for them
	fmt.Println(region.RemoteKey())
	// Output: 0
}

func ExampleWindow() {
	zone, done := exampleZone()
	defer done()
	window, err := zone.NewWindow(mem.ZoneWindow)
	if err != nil {
		fmt.Println(err)
		return
	}
	// rdma.Conn.Bind lends memory through it; see the example of rdma.Bind.
	fmt.Println(window.Kind(), window.Remote().Len())
	fmt.Println(window.Free())
	// Output:
	// zone 0
	// <nil>
}

func ExampleWindowKind() {
	fmt.Println(mem.ZoneWindow, mem.EndpointWindow)
	// Output: zone endpoint
}

func ExampleAllocConfig() {
	zone, done := exampleZone()
	defer done()
	region, err := zone.AllocWith(1, mem.Local, mem.AllocConfig{HugePages: mem.HugePrefer})
	if err != nil {
		fmt.Println(err)
		return
	}
	// It has huge pages if the system has some to spare.
	fmt.Println(region.PageSize() == mem.PageSize() || region.PageSize() == mem.HugePageSize())
	// Output: true
}

func ExampleHugePages() {
	zone, done := exampleZone()
	defer done()
	_, err := zone.AllocWith(math.MaxInt, mem.Local, mem.AllocConfig{HugePages: mem.HugeRequire})
	fmt.Println(errors.Is(err, rdma.ErrResources) || errors.Is(err, rdma.ErrUnsupported))
	// Output: true
}

func ExampleDomain() {
	// Programs have no use for it: rdma.Zone has one inside.
	fmt.Println(mem.NewDomain(nil, "a zone"))
	// Output: a zone
}
