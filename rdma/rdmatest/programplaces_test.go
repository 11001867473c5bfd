package rdmatest_test

import (
	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mem"
)

// programPlaces is memory for receives, each its place, of one end or of those that share a queue.
type programPlaces struct {
	region *mem.Region
	bytes  []byte // of region: they outlive it
	at     int    // where the places begin
	queue  *rdma.SharedReceiveQueue
}

const sharedReceives = 12

func sharedPlaces(zone *rdma.Zone) (*programPlaces, error) {
	s := &programPlaces{bytes: patterns(0, sharedReceives*place)}
	var err error
	if s.region, err = zone.Register(s.bytes, mem.All); err != nil {
		return nil, err
	}
	if s.queue, err = zone.NewSharedReceiveQueue(rdma.SharedReceiveConfig{Depth: 2 * sharedReceives}); err != nil {
		return nil, err
	}
	for i := range uint64(sharedReceives) {
		if err := s.queue.PostRecv(s.recv(i)); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// recv is the receive of one place.
func (s *programPlaces) recv(i uint64) rdma.Recv {
	return rdma.Recv{Into: s.region.Slice(s.at+int(i)*place, place), Cookie: i}
}

func (s *programPlaces) close() error {
	err := s.queue.Close()
	if ferr := s.region.Free(); err == nil {
		err = ferr
	}
	return err
}
