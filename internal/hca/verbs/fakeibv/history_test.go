package fakeibv_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/verbs"
	"github.com/godapl/godapl/internal/hca/verbs/fakeibv"
	"github.com/godapl/godapl/internal/hca/verbs/ibv"
)

// TestHistories runs programs that a seed draws against a device whose order of events
// the seed draws, too. GODAPL_FAKE_SEEDS is how many, GODAPL_FAKE_SEED the only one.
func TestHistories(t *testing.T) {
	from, n := uint64(1), uint64(300)
	if s, err := strconv.ParseUint(os.Getenv("GODAPL_FAKE_SEEDS"), 10, 64); err == nil {
		n = s
	}
	if s, err := strconv.ParseUint(os.Getenv("GODAPL_FAKE_SEED"), 10, 64); err == nil {
		from, n = s, 1
	}
	total := map[string]int{}
	for seed := from; seed < from+n && !t.Failed(); seed++ {
		synctest.Test(t, func(t *testing.T) { play(t, seed, total) })
	}
	t.Logf("%d histories: %v", n, total)
	if n >= 300 && !t.Failed() {
		for _, what := range mustHappen {
			if total[what] == 0 {
				t.Errorf("in %d histories this never happened: %s", n, what)
			}
		}
	}
}

// mustHappen are happenings without which the histories show less than they claim.
var mustHappen = []string{
	"established", "refused connection", "ended", "flushed", "failed", "succeeded",
	"completion event without a reason", "completion event twice", "flushed request does not come",
	"flushed receive does not come", "refusal without an event", "no answer to a request", "no resolution",
	"disconnect before established", "queue pair broken", "request spoiled", "device removed", "event of a device",
	"rdma_accept fails", "rdma_connect fails", "rdma_create_qp fails", "rdma_disconnect fails",
	"ibv_post_send fails", "ibv_post_recv fails", "ibv_modify_qp fails", "ibv_query_qp fails",
	"rdma_get_cm_event fails", "ibv_get_async_event fails",
}

// node is an adapter with what its parties share.
type node struct {
	a    hca.Adapter
	pd   hca.PD
	cq   hca.CQ // nil: each party has its own
	ln   hca.Listener
	held []hca.ConnRequest
}

// history is one run.
type history struct {
	t       *testing.T
	seed    uint64
	rng     *rand.Rand
	w       *fakeibv.World
	nodes   []*node
	parties []*party
	queues  []hca.CQ
	calls   sync.WaitGroup
	total   map[string]int
	mu      sync.Mutex // guards held, and wrong
	cancels []context.CancelFunc
	rough   int // out of 100 disturbances that might be, how many are
}

func (h *history) wrong(format string, a ...any) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.t.Errorf("GODAPL_FAKE_SEED=%d: %s", h.seed, fmt.Sprintf(format, a...))
}

func (h *history) must(err error) {
	if err != nil {
		h.t.Fatalf("GODAPL_FAKE_SEED=%d: %v", h.seed, err)
	}
}

func play(t *testing.T, seed uint64, total map[string]int) {
	w := fakeibv.New(fakeibv.Config{Seed: seed, Stepped: true, Devices: []string{"fake0", "fake1"}})
	h := &history{t: t, seed: seed, rng: rand.New(rand.NewPCG(seed, 1)), w: w, total: total}
	d := verbs.Simulated(w.Lib(), w.Names(), w.Addrs())
	for i := range 2 {
		h.openNode(d, "fake"+strconv.Itoa(i))
	}
	chances := []float64{0, 0, 0.02, 0.1}
	w.Disturb(chances[h.rng.IntN(4)], chances[h.rng.IntN(4)])
	h.rough = []int{0, 10, 100}[h.rng.IntN(3)]
	for range 200 + h.rng.IntN(1000) {
		h.act()
	}
	h.end()
	if f := w.Faults(); len(f) > 0 {
		h.wrong("wrong calls: %q", f)
	}
	if left := w.Left(); len(left) > 0 {
		h.wrong("left: %q", left)
	}
	for what, n := range w.Counts() {
		total[what] += n
	}
	w.Close()
}

// open counts the parties that may still do something.
func (h *history) open() (n int) {
	for _, p := range h.parties {
		if !p.closed && !p.over() {
			n++
		}
	}
	return n
}

func (h *history) openNode(d hca.Driver, name string) {
	a, err := d.Open(h.t.Context(), name, hca.Options{ReceiveWait: 100 * time.Millisecond})
	h.must(err)
	n := &node{a: a}
	h.nodes = append(h.nodes, n)
	n.pd, err = a.NewPD()
	h.must(err)
	if h.rng.IntN(2) == 0 {
		n.cq, err = a.NewCQ(hca.CQConfig{Depth: 512})
		h.must(err)
		h.queues = append(h.queues, n.cq)
	}
	n.ln, err = a.Listen(h.t.Context(), hca.ListenConfig{Address: a.Attr().Address + ":0", OnRequest: func(r hca.ConnRequest) bool {
		h.mu.Lock()
		defer h.mu.Unlock()
		n.held = append(n.held, r)
		return true
	}})
	h.must(err)
}

// newParty makes a queue pair on a node.
func (h *history) newParty(n *node) *party {
	p := &party{h: h, node: n, name: fmt.Sprintf("party %d", len(h.parties)), mem: make([]byte, 4096)}
	var err error
	if p.mr, err = n.pd.Register(hca.Memory{Bytes: p.mem}, hca.AllAccess); err != nil {
		return nil
	}
	cq := n.cq
	if cq == nil {
		if cq, err = n.a.NewCQ(hca.CQConfig{Depth: 64, Notify: func() {}}); err != nil {
			return nil
		}
		h.queues = append(h.queues, cq)
	}
	p.qp, err = n.a.NewQP(hca.QPConfig{
		PD: n.pd, SendCQ: cq, RecvCQ: cq, SendDepth: 1 + h.rng.IntN(12), RecvDepth: 8, SendSGE: 1, RecvSGE: 1, ReadsOut: 2, ReadsIn: 2, Event: p.event,
	})
	if err != nil {
		return nil
	}
	h.parties = append(h.parties, p)
	return p
}

// settle waits until every goroutine of the bubble waits.
func (h *history) settle() { synctest.Wait() }

// call runs a call that waits.
func (h *history) call(f func()) { h.calls.Go(f) }

// act does one thing.
func (h *history) act() {
	switch k := h.rng.IntN(100); {
	case k < 50:
		h.w.Step()
	case k < 53:
		if h.open() < 8 && len(h.parties) < 100 {
			h.connect()
		}
	case k < 60:
		h.answer()
	case k < 90:
		if len(h.parties) > 0 {
			h.use(h.parties[h.rng.IntN(len(h.parties))])
		}
	case k < 94:
		h.poll()
	case k < 96:
		<-time.After(time.Duration(h.rng.IntN(100)) * time.Millisecond)
	case k < 97:
		if len(h.cancels) > 0 && h.rng.IntN(3) == 0 {
			h.cancels[h.rng.IntN(len(h.cancels))]()
		}
	default:
		h.disturb()
	}
	h.settle()
}

func (h *history) disturb() {
	if h.rng.IntN(100) >= h.rough {
		return
	}
	switch h.rng.IntN(16) {
	case 0, 1:
		types := []ibv.EventType{ibv.EventQPFatal, ibv.EventQPReqErr, ibv.EventQPAccessErr, ibv.EventPathMigErr}
		h.w.Break(types[h.rng.IntN(len(types))])
	case 2, 3:
		h.w.Spoil(ibv.WCStatus(1 + h.rng.IntN(int(ibv.WCTMRndvIncomplete)+3)))
	case 4:
		h.w.Remove()
	case 5:
		h.w.Raise(h.rng.IntN(2), []ibv.EventType{ibv.EventPortErr, ibv.EventPortActive, ibv.EventDeviceFatal}[h.rng.IntN(3)])
	}
}
