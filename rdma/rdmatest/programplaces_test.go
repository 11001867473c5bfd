package rdmatest_test

import (
	"math/rand/v2"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mem"
)

// programPlaces is memory for receives, each its place, of one end or of those that share a queue.
type programPlaces struct {
	region *mem.Region
	bytes  []byte // of region: they outlive it
	n      int
	size   int                      // of a place
	queue  *rdma.SharedReceiveQueue // nil: one end has them alone
}

const (
	mostPlaces = 12
	place      = 2048
	longPlace  = 140_000 // for messages of several segments
)

// newPlaces draws how many there are. With few, messages wait for them.
func newPlaces(draw *rand.Rand, zone *rdma.Zone) (*programPlaces, error) {
	s := &programPlaces{n: 1 + draw.IntN(mostPlaces), size: place}
	if draw.IntN(3) == 0 {
		s.n = 1
	}
	if draw.IntN(8) == 0 {
		s.n, s.size = 1+draw.IntN(2), longPlace
	}
	s.bytes = patterns(0, s.n*s.size)
	var err error
	s.region, err = zone.Register(s.bytes, mem.All)
	return s, err
}

// sharedPlaces are places of a shared queue. With single, connections wait for each other.
func sharedPlaces(draw *rand.Rand, zone *rdma.Zone, single bool) (*programPlaces, error) {
	s, err := newPlaces(draw, zone)
	if err != nil {
		return nil, err
	}
	if single {
		s.n = 1
	}
	if s.queue, err = zone.NewSharedReceiveQueue(rdma.SharedReceiveConfig{Depth: 2 * mostPlaces}); err != nil {
		return nil, err
	}
	for i := range s.n {
		if err := s.queue.PostRecv(s.recv(uint64(i))); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// recv is the receive of one place.
func (s *programPlaces) recv(i uint64) rdma.Recv {
	return rdma.Recv{Into: s.region.Slice(int(i)*s.size, s.size), Cookie: i}
}

func (s *programPlaces) close() (err error) {
	if s.queue != nil {
		err = s.queue.Close()
	}
	if ferr := s.region.Free(); err == nil {
		err = ferr
	}
	return err
}
