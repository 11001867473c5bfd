package integration_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/event"
	"github.com/godapl/godapl/rdma/mem"
)

// killsVariable names the environment variable with the number of kills of each kind.
const killsVariable = "GODAPL_KILLS"

func killRounds(t *testing.T) int {
	text := os.Getenv(killsVariable)
	if text == "" {
		return 20
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 4 {
		t.Fatalf("%s=%s: want a number from 4 on", killsVariable, text)
	}
	return n
}

// TestKilledPeer kills a peer process repeatedly while sends, writes, reads and atomics are in
// flight in both directions.
func TestKilledPeer(t *testing.T) {
	for _, path := range []string{"soft-tcp", "soft-shm"} {
		t.Run(path+"/the peer dials", func(t *testing.T) { killPeers(t, path, false) })
		t.Run(path+"/the peer listens", func(t *testing.T) { killPeers(t, path, true) })
	}
}

func killPeers(t *testing.T, path string, listens bool) {
	if path == "soft-shm" && runtime.GOOS != "linux" {
		t.Skip("the shared-memory path needs Linux")
	}
	r := random(t)
	rounds := killRounds(t)
	here := newSide(t, open(t, path), peerMemory)
	ln := made(here.adapter.Listen(within(t), "127.0.0.1:0", rdma.ListenConfig{}))(t)
	others := bystand(t, here.adapter)
	least, flying, causes := peerDepth, 0, map[rdma.Code]int{}
	var before holdings
	for round := range rounds {
		if round == 2 { // by now pools are filled and threads exist
			before = heldAtMost(t)
		}
		v := newVictim(t, here, path, peerDepth)
		if listens {
			v.dial(t)
		} else {
			v.accept(t, ln)
		}
		n, code := v.killed(t, others, branch(r))
		causes[code]++
		flying += n
		least = min(least, n)
		if t.Failed() {
			t.Fatalf("failed in round %d", round)
		}
	}
	t.Logf("%d kills with %d operations in flight, at least %d each time; causes: %v", rounds, flying, least, causes)
	if least == 0 {
		t.Error("there was a kill with nothing in flight")
	}
	noMore(t, before, max(10, rounds/2))
}

// killed is one round. It returns how many requests were in flight at the kill, and the cause
// of the connection's end.
func (v *victim) killed(t *testing.T, others *bystander, r *rand.Rand) (int, rdma.Code) {
	t.Helper()
	var work sync.WaitGroup
	ctx, stop := context.WithCancel(context.Background())
	v.read(&work, ctx, v.requests.Dispatcher(), v.sent, func([]rdma.Completion) { signal(v.room) })
	v.read(&work, ctx, v.receives.Dispatcher(), v.received, v.again)
	moment := r.IntN(1500)
	var requests, receives int
	before := others.count()
	work.Go(func() {
		v.postUntilEnd(moment, func(sent, awaited int) {
			requests, receives = sent, awaited
			if cause := context.Cause(v.conn.Context()); cause != nil {
				t.Errorf("the connection ended before the kill: %v", cause)
			}
			if err := v.process.Process.Kill(); err != nil {
				t.Error(err)
			}
		})
	})
	work.Go(func() {
		if err := v.callUntilEnd(); !errors.Is(err, rdma.ErrBroken) && !errors.Is(err, rdma.ErrDisconnected) && !errors.Is(err, rdma.ErrClosed) {
			t.Errorf("the waiting call that was interrupted: %v", err)
		}
	})

	code := ended(t, v.conn, rdma.ErrBroken, rdma.ErrDisconnected)
	must(t, v.conn.Endpoint().Close())
	stop()
	work.Wait()
	drain(v.requests.Dispatcher(), v.sent)
	drain(v.receives.Dispatcher(), v.received)
	posts, failures := v.sent.check(t, "killed peer")
	v.received.check(t, "killed peer")
	if testing.Verbose() && os.Getenv(killsVariable) == "" {
		t.Logf("killed after %4d posts: %2d requests and %2d receives in flight; %4d of %4d requests did not succeed; %v",
			moment, requests, receives, failures, posts, code)
	}
	must(t, v.requests.Close())
	must(t, v.receives.Close())
	v.reap()
	others.goOn(t, before)
	return requests, code
}

func drain(d *event.Dispatcher[rdma.Completion], l *ledger) {
	var list [64]rdma.Completion
	for n := 1; n > 0; {
		n = d.Poll(list[:])
		l.take(list[:n])
	}
}

// victim is a connection to a process that will be killed.
type victim struct {
	here               *side
	path               string
	endpoint           *rdma.Endpoint
	process            *exec.Cmd
	stdin              io.Closer
	requests, receives *rdma.CompletionQueue
	sent, received     *ledger
	conn               *rdma.Conn
	there              mem.Remote
	room               chan struct{} // a request has completed
}

func newVictim(t *testing.T, here *side, path string, depth int) *victim {
	t.Helper()
	v := &victim{here: here, path: path, sent: newLedger("requests", 1), received: newLedger("receives", 1), room: make(chan struct{}, 1)}
	// Queues of the program: they outlive the endpoint.
	v.requests = made(here.adapter.NewCompletionQueue(rdma.CompletionQueueConfig{Depth: 2 * depth}))(t)
	v.receives = made(here.adapter.NewCompletionQueue(rdma.CompletionQueueConfig{Depth: 2 * peerDepth}))(t)
	v.endpoint = made(here.adapter.NewEndpoint(rdma.EndpointConfig{
		Zone: here.zone, SendDepth: depth, RecvDepth: peerDepth, SendCQ: v.requests, RecvCQ: v.receives,
	}))(t)
	for range peerDepth {
		must(t, v.postReceive(v.endpoint))
	}
	return v
}

// start starts the process. It connects to address; if that is empty, it listens and prints its
// address.
func (v *victim) start(t *testing.T, address string) io.Reader {
	t.Helper()
	v.process = exec.Command(os.Args[0])
	v.process.Env = append(os.Environ(), peerVariable+"="+v.path+" "+address)
	v.process.Stderr = os.Stderr
	v.stdin = made(v.process.StdinPipe())(t)
	out := made(v.process.StdoutPipe())(t)
	must(t, v.process.Start())
	t.Cleanup(v.reap)
	return out
}

func (v *victim) accept(t *testing.T, ln *rdma.Listener) {
	t.Helper()
	v.start(t, ln.Addr().String())
	ctx := within(t)
	select {
	case request := <-ln.Requests():
		must(t, v.there.UnmarshalBinary(request.PrivateData()))
		v.conn = made(request.AcceptOn(ctx, v.endpoint, rdma.ConnConfig{Private: made(v.here.mem.Remote().MarshalBinary())(t)}))(t)
	case <-ctx.Done():
		t.Fatal("the peer process did not connect")
	}
}

func (v *victim) dial(t *testing.T) {
	t.Helper()
	address, err := bufio.NewReader(v.start(t, "")).ReadString('\n')
	must(t, err)
	v.conn = made(v.endpoint.Connect(within(t), strings.TrimSpace(address), rdma.ConnConfig{Private: made(v.here.mem.Remote().MarshalBinary())(t)}))(t)
	must(t, v.there.UnmarshalBinary(v.conn.PrivateData()))
}

// reap ends the process, if it still runs, and waits for it.
func (v *victim) reap() {
	if v.process.ProcessState == nil {
		v.process.Process.Kill()
		v.process.Wait()
		v.stdin.Close()
	}
}

func (v *victim) postReceive(e *rdma.Endpoint) error {
	return v.received.post(0, 0, func(cookie uint64) error {
		return e.PostRecv(rdma.Recv{Into: v.here.mem.Slice(atReceives+int(cookie%peerDepth)<<12, 4<<10), Cookie: cookie})
	})
}

// again posts a new receive for each that succeeded.
func (v *victim) again(list []rdma.Completion) {
	for _, c := range list {
		if c.Err() == nil {
			v.postReceive(c.Endpoint) // refused once the endpoint is closed
		}
	}
}

// read records the completions of a dispatcher until ctx ends.
func (v *victim) read(work *sync.WaitGroup, ctx context.Context, d *event.Dispatcher[rdma.Completion], l *ledger, then func([]rdma.Completion)) {
	work.Go(func() {
		var list [16]rdma.Completion
		for {
			n, err := d.WaitBatch(ctx, list[:])
			l.take(list[:n])
			then(list[:n])
			if err != nil {
				return
			}
		}
	})
}

// postUntilEnd keeps the queue full. After a number of posts, while some are in flight, it calls
// kill. After the end of the connection it makes some more posts.
func (v *victim) postUntilEnd(moment int, kill func(sent, awaited int)) {
	late, killed := 0, false
	for i := uint64(0); late < 8; i++ {
		err := v.sent.post(0, 0, func(cookie uint64) error {
			return postSomething(v.conn, v.here.mem, v.there, i, cookie)
		})
		if n, m := v.conn.Outstanding(); !killed && int(i) >= moment && n >= peerDepth/4 {
			kill(n, m)
			killed = true
		}
		if err != nil { // no room, or closed
			i--
			select {
			case <-v.room:
			case <-v.conn.Context().Done():
			}
		}
		if v.conn.Context().Err() != nil {
			late++
		}
	}
	if !killed {
		kill(v.conn.Outstanding())
	}
}

// callUntilEnd reads with blocking calls until one fails, and returns its error.
func (v *victim) callUntilEnd() error {
	for {
		into := v.here.mem.Slice(atCalls, 256<<10)
		n, err := v.conn.Read(context.Background(), into, v.there.Slice(atConstant, 256<<10))
		if err != nil {
			return err
		}
		if n != into.Len() {
			return fmt.Errorf("%d bytes read", n)
		}
	}
}
