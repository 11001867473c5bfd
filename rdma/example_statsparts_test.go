package rdma_test

import (
	"context"
	"fmt"
	"log"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mem"
)

func ExampleStatsParts() {
	adapter, err := rdma.Open(context.Background(), "soft-loop", rdma.OpenConfig{})
	if err != nil {
		log.Fatal(err)
	}
	defer adapter.Close()
	zone, err := adapter.NewZone()
	if err != nil {
		log.Fatal(err)
	}
	if _, err := zone.Alloc(1<<20, mem.Local); err != nil {
		log.Fatal(err)
	}
	parts := rdma.StatsParts{Zone: func(_ *rdma.Zone, s rdma.ZoneStats) {
		fmt.Println("a zone with", s.RegisteredBytes, "bytes")
	}}
	all := adapter.StatsByPart(parts)
	fmt.Println(all.Zones, "zone,", all.Endpoints, "endpoints")
	// Output:
	// a zone with 1048576 bytes
	// 1 zone, 0 endpoints
}

func ExampleZoneStats() {
	adapter, err := rdma.Open(context.Background(), "soft-loop", rdma.OpenConfig{})
	if err != nil {
		log.Fatal(err)
	}
	defer adapter.Close()
	zone, err := adapter.NewZone()
	if err != nil {
		log.Fatal(err)
	}
	var s rdma.ZoneStats = zone.Stats()
	fmt.Println(s.Regions, "regions")
	// Output: 0 regions
}
