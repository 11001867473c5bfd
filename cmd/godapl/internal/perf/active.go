package perf

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mem"
)

// active is the side that starts all operations, on one goroutine.
type active struct {
	*side
	peer    peer
	conn    *rdma.Conn  // the last one
	done    face        // of requests
	came    face        // of receives
	acked   bool        // a completion of a send or write means that the data has arrived
	far     mem.Remote  // the peer's memory
	from    []mem.Slice // local places of the operations in flight
	lists   lists       // the operations, by place
	free    []uint32    // places that are not in use
	batches []*rdma.Batch
	flushed *mem.Region     // target of the reads that wait until all data has arrived
	credits []credits       // by endpoint; nil if the peer gives none
	next    int             // the endpoint of the next operation
	used    rdma.Completion // of the last answer; its receive is to be posted again
	errors  int64
	written uint64    // the last value written to the other side, where it is polled
	word    *pingWord // writes that value
	// Messages of all rate phases so far.
	streamed int64
	stop     func() bool // ends the watch of the context
	streams  []int       // see bestStream
	compat   compat      // with another -api, instead of the adapter
}

// compat is the active side by the calls of another API.
type compat interface {
	rate(limit) (done int64, took time.Duration, err error)
	latency(limit, *hdrhistogram.Histogram) error
	close() error
}

func openActive(ctx context.Context, cfg *config, p peer, address string) (*active, error) {
	switch cfg.API {
	case "dat":
		d, err := openDat(ctx, cfg, address)
		return &active{side: &side{cfg: cfg}, peer: p, compat: d}, err
	case "vipl":
		v, err := openVipl(ctx, cfg, p, address)
		return &active{side: &side{cfg: cfg}, peer: p, compat: v}, err
	}
	s, err := openSide(ctx, cfg)
	if err != nil {
		return nil, err
	}
	a := &active{side: s, peer: p}
	if err := a.connect(ctx, address); err != nil {
		s.adapter.Close()
		return nil, err
	}
	return a, nil
}

// end closes this side.
func (a *active) end() error {
	if a.compat != nil {
		return a.compat.close()
	}
	return a.shut()
}

func (a *active) connect(ctx context.Context, address string) (err error) {
	c := a.cfg
	if a.done, err = a.face(a.requests.Dispatcher(), new(atomic.Bool)); err != nil {
		return err
	}
	if a.came, err = a.face(a.receives.Dispatcher(), new(atomic.Bool)); err != nil {
		return err
	}
	if a.flushed, err = a.zone.Alloc(c.Endpoints, mem.LocalWrite); err != nil {
		return err
	}
	where, err := a.shared.Remote().MarshalBinary()
	if err != nil {
		return err
	}
	for range c.Endpoints {
		e, err := a.endpoint()
		if err != nil {
			return err
		}
		conn, err := e.Connect(ctx, address, rdma.ConnConfig{Private: where})
		if err != nil {
			return err
		}
		if err := a.agree(conn); err != nil {
			return err
		}
		a.conn = conn
		a.batches = append(a.batches, e.NewBatch())
	}
	for i := range c.Depth {
		at := i % c.Places * c.stride()
		a.from = append(a.from, a.own.Slice(at, c.Size))
		a.lists.add(c.Op, a.from[i], a.far.Slice(at, c.Size), uint64(i))
		a.free = append(a.free, uint32(i))
	}
	return nil
}

// agree checks the connection's capabilities.
func (a *active) agree(conn *rdma.Conn) error {
	caps := conn.Caps()
	switch {
	case a.cfg.Op == "fadd" && !caps.Atomics:
		return fmt.Errorf("fadd cannot be measured: the connection has no atomic operations")
	case a.cfg.Op == "write" && !caps.WriteImmediate && a.cfg.Only != "rate":
		return fmt.Errorf("the latency of writes cannot be measured: the connection has no immediate data; use -only rate")
	}
	a.acked = conn.Acked()
	gives, far, err := readTerms(conn.PrivateData())
	if gives && a.cfg.blocks() {
		return fmt.Errorf("-mode conn cannot be measured here: a message that comes before Conn.Recv would end the connection")
	}
	if gives {
		a.credits = append(a.credits, credits{})
	}
	a.far = far
	return err
}

// turn selects the endpoint of the next operation, round robin.
func (a *active) turn() int {
	i := a.next
	if a.next++; a.next >= len(a.endpoints) {
		a.next = 0
	}
	return i
}

// completions waits for completions, and returns the error of the first that failed.
func (a *active) completions(f face) ([]rdma.Completion, error) {
	cs, err := f.next()
	for i := range cs {
		if cs[i].Status != rdma.StatusOK {
			a.errors++
			if err == nil {
				err = cs[i].Err()
			}
		}
	}
	return cs, err
}
