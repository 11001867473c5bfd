package rdma_test

import (
	"cmp"
	"context"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/godapl/godapl/internal/race"
	"github.com/godapl/godapl/rdma"
)

// A busyServer answers requests of clients that have one request in flight each.
type busyServer struct {
	t *testing.T
	*side
	conns  []*rdma.Conn
	recvs  *rdma.CompletionQueue // of all connections; nil: each has its own
	sends  *rdma.CompletionQueue
	slots  map[*rdma.Endpoint]int // of a connection's memory: the first of busySlots
	served int
	want   int
}

const (
	busyClients = 3
	busySlots   = 4
	busySize    = 64
)

// busyShape says which queues a server has, and how it serves them.
type busyShape struct {
	// shared: the receives of all connections complete in one queue, and their sends in one.
	shared bool
	// one: sends complete where receives do.
	one     bool
	clients int  // 0: busyClients
	few     bool // never in greater number: sends stay in their queue
	serve   func(ctx context.Context, s *busyServer) error
}

// busyDepth is how deep the send queue of a server must be that has one request of each client. A device may
// report the end of an answer after the request that follows it.
func busyDepth(name string) int {
	if soft(name) {
		return 1
	}
	return 2
}

// busyRequests is how many requests are served. GODAPL_REQUESTS=1000000 serves more.
func busyRequests(t *testing.T, name string) int {
	if text := os.Getenv("GODAPL_REQUESTS"); text != "" {
		n, err := strconv.Atoi(text)
		must(t, err)
		return n
	}
	switch {
	case !soft(name):
		return 200 // a device of the kernel's, in a virtual machine, takes long over each
	case race.Enabled:
		return 500
	}
	return 2000
}

// TestBusyServer has servers that serve their queues as the documentation says, and have a send queue that is
// as deep as one request in flight needs. None of their posts finds its queue full.
func TestBusyServer(t *testing.T) {
	for _, name := range pathsAndShm() {
		for how, shape := range busyShapes {
			t.Run(name+"/"+strings.ReplaceAll(how, " ", "-"), func(t *testing.T) { runBusyServer(t, name, shape) })
		}
	}
}

func runBusyServer(t *testing.T, name string, shape busyShape) {
	s := &busyServer{t: t, side: newSide(t, name), slots: map[*rdma.Endpoint]int{}, want: busyRequests(t, name)}
	if shape.few {
		s.want = min(s.want, 1000)
	}
	if shape.shared {
		cfg := rdma.CompletionQueueConfig{Depth: 2 * busyClients * (busySlots + busyDepth(name))}
		var err error
		s.recvs, err = s.adapter.NewCompletionQueue(cfg)
		must(t, err)
		if s.sends = s.recvs; !shape.one {
			s.sends, err = s.adapter.NewCompletionQueue(cfg)
			must(t, err)
		}
	}
	limit := 10 * patience
	if os.Getenv("GODAPL_REQUESTS") != "" {
		limit = time.Hour
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	clients := make([]*side, cmp.Or(shape.clients, busyClients))
	for i := range clients {
		clients[i] = newSide(t, name)
		s.take(clients[i], i, rdma.EndpointConfig{
			Zone: s.zone, SendDepth: busyDepth(name), RecvDepth: busySlots, RecvCQ: s.recvs, SendCQ: s.sends,
		})
	}
	var running sync.WaitGroup
	var left atomic.Int64
	left.Store(int64(s.want))
	for _, x := range clients {
		running.Go(func() {
			for left.Add(-1) >= 0 {
				if err := ask(ctx, x); err != nil {
					if ctx.Err() == nil {
						t.Error(err)
						cancel()
					}
					return
				}
			}
		})
	}
	if err := shape.serve(ctx, s); err != nil {
		t.Errorf("after %d requests: %v", s.served, err)
		cancel()
	}
	running.Wait()
}

// take connects client number i.
func (s *busyServer) take(x *side, i int, cfg rdma.EndpointConfig) {
	y := &side{adapter: s.adapter, zone: s.zone, mem: s.mem}
	join(s.t, x, y, rdma.EndpointConfig{Zone: x.zone}, cfg)
	s.conns = append(s.conns, y.conn)
	s.slots[y.conn.Endpoint()] = i * busySlots
	for slot := range busySlots {
		must(s.t, s.receive(y.conn.Endpoint(), uint64(i*busySlots+slot)))
	}
}

func (s *busyServer) receive(e *rdma.Endpoint, slot uint64) error {
	return e.PostRecv(rdma.Recv{Into: s.mem.Slice(int(slot)*busySize, busySize), Cookie: slot})
}

// answer serves what completions ask for.
func (s *busyServer) answer(list []rdma.Completion) error {
	for i := range list {
		c := &list[i]
		if err := c.Err(); err != nil {
			return err
		}
		if c.Op != rdma.OpRecv {
			continue
		}
		if err := c.Endpoint.PostSend(rdma.Send{From: s.mem.Slice(int(c.Cookie)*busySize, busySize)}); err != nil {
			return err
		}
		if err := s.receive(c.Endpoint, c.Cookie); err != nil {
			return err
		}
		s.served++
	}
	return nil
}

func (s *busyServer) done() bool { return s.served >= s.want }

// due is how many requests are under way.
func (s *busyServer) due() int { return min(busyClients, s.want-s.served) }

// ask sends a request and takes its answer. The receive is there first: a device may end a
// connection whose message finds none.
func ask(ctx context.Context, x *side) error {
	if err := x.conn.PostRecv(rdma.Recv{Into: x.mem.Slice(64, 64)}); err != nil {
		return err
	}
	if err := x.conn.Send(ctx, x.mem.Slice(0, 64)); err != nil {
		return err
	}
	c, _, err := x.conn.RecvCompletions().Wait(ctx, 1)
	if err != nil {
		return err
	}
	return c.Err()
}
