package rdma_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/event"
	"github.com/godapl/godapl/rdma/mem"
)

func seed(t *testing.T) uint64 {
	s := uint64(time.Now().UnixNano())
	if env := os.Getenv("GODAPL_SEED"); env != "" {
		s, _ = strconv.ParseUint(env, 10, 64)
	}
	t.Logf("GODAPL_SEED=%d", s)
	return s
}

// ledger counts what became of each cookie.
type ledger struct {
	mu      sync.Mutex
	posted  map[uint64]bool // true: the success leaves no completion
	done    map[uint64]int
	flushed int
	took    chan struct{} // has a token when completions were taken
}

func newLedger() *ledger {
	return &ledger{posted: map[uint64]bool{}, done: map[uint64]int{}, took: make(chan struct{}, 1)}
}

func (l *ledger) post(cookie uint64, suppressed bool, f func() error) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	err := f()
	if err == nil {
		l.posted[cookie] = suppressed
	}
	return err
}

func (l *ledger) take(list []rdma.Completion) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i := range list {
		l.done[list[i].Cookie]++
		if list[i].Status != rdma.StatusOK {
			l.flushed++
		}
	}
	select {
	case l.took <- struct{}{}:
	default:
	}
}

func (l *ledger) check(t *testing.T, what string) {
	t.Helper()
	missing, twice, foreign := 0, 0, 0
	for cookie, suppressed := range l.posted {
		switch n := l.done[cookie]; {
		case n == 0 && !suppressed:
			missing++
		case n > 1:
			twice++
		}
	}
	for cookie := range l.done {
		if _, ok := l.posted[cookie]; !ok {
			foreign++
		}
	}
	if missing+twice+foreign > 0 {
		t.Errorf("%s: of %d posts %d never completed, %d more than once; %d completions of no post", what, len(l.posted), missing, twice, foreign)
	}
	t.Logf("%s: %d posts, %d not done", what, len(l.posted), l.flushed)
}

// TestEveryPostCompletesOnce ends connections in the middle of traffic, in every
// way, and counts.
func TestEveryPostCompletesOnce(t *testing.T) {
	rnd := rand.New(rand.NewPCG(seed(t), 0))
	onEveryPath(t, func(t *testing.T, name string) {
		for what, end := range map[string]func(x, y *side){
			"abrupt":       func(x, y *side) { x.conn.Abort() },
			"peer":         func(x, y *side) { y.conn.Abort() },
			"graceful":     func(x, y *side) { x.conn.BeginShutdown() },
			"both":         func(x, y *side) { go y.conn.Abort(); x.conn.Abort() },
			"peer's close": func(x, y *side) { y.adapter.Close() },
			"close":        func(x, y *side) { x.conn.Endpoint().Close() },
			"refusal": func(x, y *side) {
				for x.conn.State() == rdma.StateConnected {
					if x.conn.PostWrite(rdma.Write{From: x.mem.Slice(0, 8), To: mem.Remote{Key: 1, Length: 8}, Cookie: 1 << 40}) == nil {
						return
					}
				}
			},
		} {
			t.Run(what, func(t *testing.T) { once(t, name, end, rnd.Uint64()) })
		}
	})
}

func once(t *testing.T, name string, end func(x, y *side), seed uint64) {
	x, y := newSide(t, name), newSide(t, name)
	// Queues of the program: they outlive the endpoint.
	sends, err := x.adapter.NewCompletionQueue(rdma.CompletionQueueConfig{Depth: 512})
	must(t, err)
	recvs, err := x.adapter.NewCompletionQueue(rdma.CompletionQueueConfig{Depth: 512})
	must(t, err)
	join(t, x, y, rdma.EndpointConfig{Zone: x.zone, SendDepth: 64, RecvDepth: 64, SendCQ: sends, RecvCQ: recvs},
		rdma.EndpointConfig{Zone: y.zone, SendDepth: 64, RecvDepth: 64})
	requests, receives := newLedger(), newLedger()
	requests.posted[1<<40] = true // of the refusal, if there is one
	ctx, stop := context.WithCancel(within(t))
	var readers, posters sync.WaitGroup
	read := func(d *event.Dispatcher[rdma.Completion], l *ledger) {
		readers.Go(func() {
			var list [16]rdma.Completion
			for {
				n, err := d.WaitBatch(ctx, list[:])
				l.take(list[:n])
				if err != nil {
					return
				}
			}
		})
	}
	read(sends.Dispatcher(), requests)
	read(recvs.Dispatcher(), receives)
	// The peer echoes what it gets.
	posters.Go(func() {
		for {
			n, err := y.conn.Recv(ctx, y.mem.Slice(0, 4096))
			if err != nil {
				return
			}
			if y.conn.Send(ctx, y.mem.Slice(0, n)) != nil {
				return
			}
		}
	})
	far := y.mem.Remote()
	var enough sync.WaitGroup
	enough.Add(2)
	poster := func(base uint64, l *ledger, one func(cookie uint64, r *rand.Rand) error) {
		posters.Go(func() {
			r := rand.New(rand.NewPCG(seed, base))
			signalled := false
			for i := uint64(0); i < 4000; {
				switch err := one(base+i, r); {
				case err == nil:
					i++
				case errors.Is(err, rdma.ErrQueueFull):
					select {
					case <-l.took:
					case <-x.conn.Context().Done():
						i = 4000
					}
				default:
					i = 4000
				}
				if i >= 200 && !signalled {
					signalled = true
					enough.Done()
				}
			}
		})
	}
	poster(0, requests, func(cookie uint64, r *rand.Rand) error {
		flags := []rdma.Flags{0, rdma.NoCompletion, rdma.NoWake, rdma.Fence}[r.IntN(4)]
		n := 8 << r.IntN(9)
		return requests.post(cookie, flags == rdma.NoCompletion, func() error {
			switch r.IntN(3) {
			case 0:
				return x.conn.PostRead(rdma.Read{Into: x.mem.Slice(8192, n), From: far.Slice(8192, n), Cookie: cookie, Flags: flags})
			case 1:
				return x.conn.PostSend(rdma.Send{From: x.mem.Slice(0, n), Cookie: cookie, Flags: flags})
			}
			return x.conn.PostWrite(rdma.Write{From: x.mem.Slice(16384, n), To: far.Slice(16384, n), Cookie: cookie, Flags: flags})
		})
	})
	poster(1<<20, receives, func(cookie uint64, r *rand.Rand) error {
		return receives.post(cookie, false, func() error {
			return x.conn.PostRecv(rdma.Recv{Into: x.mem.Slice(32768, 8192), Cookie: cookie})
		})
	})
	enough.Wait()
	end(x, y)
	<-x.conn.Context().Done()
	posters.Wait()
	for i := range uint64(3) { // after the end, too
		requests.post(1<<30+i, false, func() error { return x.conn.PostSend(rdma.Send{Cookie: 1<<30 + i}) })
		receives.post(1<<31+i, false, func() error { return x.conn.PostRecv(rdma.Recv{Cookie: 1<<31 + i}) })
	}
	must(t, x.conn.Endpoint().Close())
	// Nothing comes any more; take what is there.
	stop()
	readers.Wait()
	var list [64]rdma.Completion
	for n := 1; n > 0; {
		n = sends.Dispatcher().Poll(list[:])
		requests.take(list[:n])
	}
	for n := 1; n > 0; {
		n = recvs.Dispatcher().Poll(list[:])
		receives.take(list[:n])
	}
	requests.check(t, "requests")
	receives.check(t, "receives")
	must(t, sends.Close())
	must(t, recvs.Close())
}
