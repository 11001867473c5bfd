package rdma_test

import (
	"context"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/event"
	"github.com/godapl/godapl/rdma/mem"
)

// faceWindow is how many messages of a connection are under way at most.
const faceWindow = 4

// faceConn is a connection of a row, with what is known about it. The lock of the run guards what changes.
type faceConn struct {
	i        int
	x, y     *side
	end      string
	cut      int    // after so many messages comes an abrupt end
	posted   uint64 // receives
	next     uint64 // the cookie that is next
	got      int    // messages
	flushed  int
	answers  int  // outstanding
	dead     bool // no further receive can be posted
	closed   bool // y has closed it
	writeAt  int  // where in y's memory writes go, behind the receives
	yBytes   []byte
	credits  chan struct{}
	ownEnded sync.Once
}

// abrupt is whether the end may cut off messages.
func (c *faceConn) abrupt() bool { return c.end != "shutdown" && c.end != "begin" }

// faceQueue is a queue that y reads. Its reader goes over to another face when the quota is used up.
type faceQueue struct {
	d     *event.Dispatcher[rdma.Completion]
	conns []*faceConn
	quota int
}

type faceRun struct {
	faceRow
	t        *testing.T
	r        *rand.Rand
	ctx      context.Context
	cancel   context.CancelFunc
	wg       sync.WaitGroup
	progress atomic.Int64 // changes with each completion
	failed   atomic.Bool
	table    []byte // the content of messages is parts of it

	xAdapter, yAdapter *rdma.Adapter
	xZone, yZone       *rdma.Zone
	cq                 *rdma.CompletionQueue
	sink               *event.Dispatcher[rdma.Completion]
	srq                *rdma.SharedReceiveQueue
	srqMem             *mem.Region
	srqBytes           []byte

	mu      sync.Mutex
	c       []*faceConn
	queues  []*faceQueue
	srqOut  map[uint64]int // cookie to slot
	srqNext uint64
	marked  bool // the mark of the end has come, see startMark
	gone    bool // y's adapter is being closed
}

func newFaceRun(t *testing.T, row faceRow) *faceRun {
	h := &faceRun{faceRow: row, t: t, r: rand.New(rand.NewPCG(row.seed, 2)), srqOut: map[uint64]int{}}
	h.table = make([]byte, 9000+h.size)
	for i := range h.table {
		h.table[i] = byte(h.r.Uint32())
	}
	h.ctx, h.cancel = context.WithCancel(context.Background())
	h.openAdapters()
	h.makeQueues()
	for i := range h.conns {
		h.makeConn(i)
	}
	h.firstReceives()
	if h.cq == nil {
		for _, c := range h.c {
			h.queues = append(h.queues, &faceQueue{d: c.y.conn.RecvCompletions(), conns: []*faceConn{c}})
		}
		return h
	}
	d := h.cq.Dispatcher()
	if h.sink != nil {
		d = h.sink
	}
	h.queues = []*faceQueue{{d: d, conns: h.c}}
	return h
}

func (h *faceRun) openAdapters() {
	open := func() *rdma.Adapter {
		// A reader may be slow. The wait of a message for its receive must outlast patience, which then tells of it.
		a, err := rdma.Open(within(h.t), h.path, rdma.OpenConfig{ReceiveWait: 6 * patience})
		must(h.t, err)
		return a
	}
	h.xAdapter = open()
	h.yAdapter = h.xAdapter
	if !h.same {
		h.yAdapter = open()
	}
	var err error
	h.xZone, err = h.xAdapter.NewZone()
	must(h.t, err)
	h.yZone, err = h.yAdapter.NewZone()
	must(h.t, err)
}

func (h *faceRun) makeQueues() {
	cfg := rdma.CompletionQueueConfig{Depth: (h.depth + 64) * h.conns * 2}
	var err error
	switch h.shape {
	case "shared", "srq", "both":
	case "sink":
		h.sink = event.New[rdma.Completion](event.Config{Depth: cfg.Depth})
		cfg.Sink = rdma.NewSink(h.sink, func(to, from *rdma.Completion) { *to = *from })
	default:
		return
	}
	h.cq, err = h.yAdapter.NewCompletionQueue(cfg)
	must(h.t, err)
	if h.shape == "srq" {
		n := h.depth * h.conns
		h.srq, err = h.yZone.NewSharedReceiveQueue(rdma.SharedReceiveConfig{Depth: n})
		must(h.t, err)
		h.srqMem, err = h.yZone.Alloc(n*h.size, mem.All)
		must(h.t, err)
		h.srqBytes = h.srqMem.Bytes()
	}
}

func (h *faceRun) makeConn(i int) {
	c := &faceConn{i: i, end: h.end, cut: h.r.IntN(h.messages), credits: make(chan struct{}, h.messages+1), writeAt: h.depth * h.size}
	if h.end == "mixed" {
		c.end = pick(h.r, []string{"shutdown", "begin", "abort", "own"})
	}
	c.x, c.y = &side{adapter: h.xAdapter, zone: h.xZone}, &side{adapter: h.yAdapter, zone: h.yZone}
	var err error
	c.x.mem, err = h.xZone.Alloc(faceWindow*h.size, mem.All)
	must(h.t, err)
	c.y.mem, err = h.yZone.Alloc((h.depth+faceWindow)*h.size, mem.All)
	must(h.t, err)
	c.yBytes = c.y.mem.Bytes()
	x := rdma.EndpointConfig{Zone: h.xZone, RecvDepth: h.messages + 1, SendDepth: 16}
	y := rdma.EndpointConfig{Zone: h.yZone, RecvDepth: h.depth, SendDepth: 64, RecvCQ: h.cq, SharedReceives: h.srq, Tag: uint64(i)}
	if h.shape == "both" {
		y.SendCQ = h.cq
	}
	if h.srq != nil {
		y.RecvDepth = 0
	}
	join(h.t, c.x, c.y, x, y)
	h.c = append(h.c, c)
}

// firstReceives posts what must be there before the first message.
func (h *faceRun) firstReceives() {
	if h.answers() {
		for _, c := range h.c {
			for range h.messages + 1 {
				must(h.t, c.x.conn.PostRecv(rdma.Recv{}))
			}
		}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case h.srq != nil:
		for i := range h.depth * h.conns {
			h.postShared(i)
		}
	case h.face != "recv":
		for _, c := range h.c {
			for range h.depth {
				h.postRecv(c)
			}
		}
	}
}

// start runs f in a goroutine that the row waits for.
func (h *faceRun) start(f func()) { h.wg.Go(f) }

func (h *faceRun) fail(format string, args ...any) {
	h.t.Helper()
	h.failed.Store(true)
	h.t.Errorf(format, args...)
}

// pause lets the other side get ahead, for at most so many microseconds.
func (h *faceRun) pause(r *rand.Rand, most int) {
	select {
	case <-time.After(time.Duration(r.IntN(most)) * time.Microsecond):
	case <-h.ctx.Done():
	}
}
