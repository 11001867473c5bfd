package perf

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/event"
	"github.com/godapl/godapl/rdma/mem"
)

// side is common to both sides: an adapter, memory, and two completion queues, which
// all endpoints report to.
type side struct {
	cfg       *config
	adapter   *rdma.Adapter
	zone      *rdma.Zone
	requests  *rdma.CompletionQueue
	receives  *rdma.CompletionQueue
	srq       *rdma.SharedReceiveQueue // of the server with -connections
	own       *mem.Region              // source of sends and writes, target of reads and fadds
	shared    *mem.Region              // the peer writes, reads and adds to it
	incoming  *mem.Region              // for messages; nil if there are none with data
	endpoints []*rdma.Endpoint
	pingSend  rdma.Send // see lists
	pingWrite rdma.Write
	gives     bool       // credits
	set       *event.Set // with -mode set
	members   []*member
	shutting  atomic.Bool
	looking   sync.Mutex // held while a goroutine polls shared: see shut
}

// shut closes the adapter, which takes the memory back, after the last look at it.
func (s *side) shut() error {
	s.shutting.Store(true)
	s.looking.Lock()
	defer s.looking.Unlock()
	err := s.adapter.Close()
	if s.set != nil {
		s.set.Close()
	}
	return err
}

// openSide opens the adapter, and makes what one side of a single measurement has.
func openSide(ctx context.Context, cfg *config) (*side, error) {
	s, err := openAdapter(ctx, cfg)
	if err != nil {
		return nil, err
	}
	if err := s.fill(); err != nil {
		s.adapter.Close()
		return nil, err
	}
	return s, nil
}

// openAdapter makes a side with an adapter and a zone.
func openAdapter(ctx context.Context, cfg *config) (*side, error) {
	// A message may wait for its receive while another program has the processor; that
	// delay is not to be measured.
	name, _, _ := cfg.travel()
	secret, err := cfg.tls()
	if err != nil {
		return nil, err
	}
	adapter, err := rdma.Open(ctx, name, rdma.OpenConfig{ReceiveWait: 30 * time.Second, TLS: secret})
	if err != nil {
		return nil, err
	}
	s := &side{cfg: cfg, adapter: adapter}
	s.gives = s.mustGive()
	if limit := s.adapter.Attributes().MaxTransfer; uint64(cfg.Size) > limit {
		err = fmt.Errorf("-size %d: the adapter takes %d at most", cfg.Size, limit)
	} else {
		s.zone, err = adapter.NewZone()
	}
	if err != nil {
		adapter.Close()
		return nil, err
	}
	return s, nil
}

func (s *side) fill() (err error) {
	c := s.cfg
	if c.Connections > 0 {
		return s.fillServer()
	}
	if s.own, err = s.memory(c.Depth*c.stride(), mem.Local); err != nil {
		return err
	}
	if s.shared, err = s.memory(c.Depth*c.stride(), mem.All); err != nil {
		return err
	}
	if c.Op == "send" {
		if s.incoming, err = s.memory(c.Endpoints*c.recvs()*c.stride(), mem.LocalWrite); err != nil {
			return err
		}
	}
	s.pingSend = rdma.Send{From: s.own.Slice(0, c.Size), Flags: rdma.NoCompletion}
	// Touch the pages: untouched pages are all one page of zeros.
	for _, b := range [][]byte{s.own.Bytes(), s.shared.Bytes()} {
		for i := range b {
			b[i] = byte(i)
		}
	}
	return s.queues(c.Endpoints*c.sendDepth(), c.Endpoints*c.recvDepth())
}

// queues makes the two completion queues.
func (s *side) queues(requests, receives int) (err error) {
	if s.requests, err = s.adapter.NewCompletionQueue(rdma.CompletionQueueConfig{Depth: requests}); err != nil {
		return err
	}
	if s.receives, err = s.adapter.NewCompletionQueue(rdma.CompletionQueueConfig{Depth: receives}); err != nil {
		return err
	}
	if c := s.cfg; c.Burst != 0 {
		for _, q := range []*rdma.CompletionQueue{s.requests, s.receives} {
			event.ProviderOf(q.Dispatcher()).SetBurst(c.Burst)
		}
	}
	return nil
}

// memory is the library's, which another process of the host can map, or a slice.
func (s *side) memory(n int, rights mem.Rights) (*mem.Region, error) {
	if s.cfg.Slices {
		return s.zone.Register(make([]byte, n), rights)
	}
	return s.zone.Alloc(n, rights)
}

// endpoint makes one more endpoint with its receives posted.
func (s *side) endpoint() (*rdma.Endpoint, error) {
	c := s.cfg
	reads := min(c.Depth, s.adapter.Attributes().MaxReadsOut)
	config := rdma.EndpointConfig{
		Zone: s.zone, RecvCQ: s.receives, SendCQ: s.requests,
		SendDepth: c.sendDepth(), RecvDepth: c.recvDepth(),
		ReadsOut: reads, ReadsIn: reads,
	}
	if c.blocks() {
		config.RecvCQ, config.SendCQ = nil, nil
	}
	e, err := s.adapter.NewEndpoint(config)
	if err != nil {
		return nil, err
	}
	if c.blocks() {
		s.endpoints = append(s.endpoints, e)
		return e, nil // the blocking calls post receives themselves
	}
	first := len(s.endpoints) * c.recvs()
	for i := range c.recvs() {
		if err := s.receive(e, uint64(first+i)); err != nil {
			return nil, err
		}
	}
	s.endpoints = append(s.endpoints, e)
	return e, nil
}

// receive posts the receive of that number, again and again.
func (s *side) receive(e *rdma.Endpoint, number uint64) error {
	if s.srq != nil {
		return s.srq.PostRecv(rdma.Recv{Into: s.incoming.Slice(int(number)*s.cfg.stride(), s.cfg.Size), Cookie: number})
	}
	if s.incoming == nil { // immediate data only
		return e.PostRecv(rdma.Recv{Cookie: number})
	}
	return e.PostRecv(rdma.Recv{Into: s.incoming.Slice(int(number)*s.cfg.stride(), s.cfg.Size), Cookie: number})
}

// stride is the distance of the operations' places in memory: no two share a
// cache line.
func (c *config) stride() int { return (c.Size + 63) &^ 63 }

// share is how many operations an endpoint has in flight, if all get the same.
func (c *config) share() int { return (c.Depth + c.Endpoints - 1) / c.Endpoints }

// sendDepth is the depth of an endpoint's queue of requests. Endpoints that are
// slower than others have more than their share in flight.
func (c *config) sendDepth() int { return max(16, min(c.Depth, 4*c.share())) }

// recvDepth is the depth of an endpoint's queue of receives.
func (c *config) recvDepth() int { return max(1, c.recvs()) }

// recvs is how many receives an endpoint has posted.
func (c *config) recvs() int {
	switch c.Op {
	case "send":
		// Where a send is done when the transport has it, the sender can be far
		// ahead: as many as 16 MiB have room for.
		return max(2*c.share()+2, 2*c.List+2, min(128, 16<<20/c.stride())/c.Endpoints)
	case "write":
		return 2 // for the ping-pong
	}
	return 0
}
