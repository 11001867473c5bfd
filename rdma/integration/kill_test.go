package integration_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"sync"
	"testing"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/event"
	"github.com/godapl/godapl/rdma/mem"
)

const killRounds = 20

// TestKilledPeer kills a peer process again and again while sends, writes,
// reads and atomics are under way in both directions.
func TestKilledPeer(t *testing.T) {
	r := random(t)
	here := newSide(t, open(t, "soft-tcp"), peerMemory)
	ln := made(here.adapter.Listen(within(t), "127.0.0.1:0"))(t)
	others := bystand(t, here.adapter)
	caught, flying, causes := 0, 0, map[rdma.Code]int{}
	var before holdings
	for round := range killRounds {
		if round == 2 { // pools are filled, threads are there
			before = heldAtMost(t)
		}
		n, code := killed(t, here, ln, others, branch(r))
		causes[code]++
		flying += n
		if n > 0 {
			caught++
		}
		if t.Failed() {
			t.Fatalf("in round %d", round)
		}
	}
	t.Logf("%d of %d kills caught operations in flight, %d in all; causes: %v", caught, killRounds, flying, causes)
	if caught <= killRounds/2 {
		t.Errorf("only %d of %d kills caught operations in flight", caught, killRounds)
	}
	noMore(t, before, killRounds/2)
}

// killed is one round. It tells how many operations were in flight at the kill,
// and the cause of the connection's end.
func killed(t *testing.T, here *side, ln *rdma.Listener, others *bystander, r *rand.Rand) (int, rdma.Code) {
	t.Helper()
	v := newVictim(t, here, ln)
	var work sync.WaitGroup
	ctx, stop := context.WithCancel(context.Background())
	v.read(&work, ctx, v.requests.Dispatcher(), v.sent, nil)
	v.read(&work, ctx, v.receives.Dispatcher(), v.received, v.again)
	enough, enoughDone := context.WithCancel(within(t))
	moment := r.IntN(1500)
	work.Go(func() { v.postUntilEnd(moment, enoughDone) })
	work.Go(func() {
		if err := v.callUntilEnd(); !errors.Is(err, rdma.ErrBroken) && !errors.Is(err, rdma.ErrDisconnected) && !errors.Is(err, rdma.ErrClosed) {
			t.Errorf("the waiting call that was interrupted: %v", err)
		}
	})

	<-enough.Done()
	requests, receives := v.conn.Outstanding()
	if cause := context.Cause(v.conn.Context()); cause != nil {
		t.Fatalf("the connection ended before the kill: %v", cause)
	}
	must(t, v.process.Process.Kill())
	before := others.count()
	code := ended(t, v.conn, rdma.ErrBroken, rdma.ErrDisconnected)
	must(t, v.conn.Endpoint.Close())
	stop()
	work.Wait()
	drain(v.requests.Dispatcher(), v.sent)
	drain(v.receives.Dispatcher(), v.received)
	posts, failures := v.sent.check(t, "killed peer")
	v.received.check(t, "killed peer")
	t.Logf("killed after %4d posts: %2d requests and %2d receives in flight; %4d of %4d requests did not succeed; %v",
		moment, requests, receives, failures, posts, code)
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
	process            *exec.Cmd
	stdin              io.Closer
	requests, receives *rdma.CompletionQueue
	sent, received     *ledger
	conn               *rdma.Conn
	there              mem.Remote
}

func newVictim(t *testing.T, here *side, ln *rdma.Listener) *victim {
	t.Helper()
	v := &victim{here: here, sent: newLedger("requests", 1), received: newLedger("receives", 1)}
	// Queues of the program: they outlive the endpoint.
	v.requests = made(here.adapter.NewCompletionQueue(2 * peerDepth))(t)
	v.receives = made(here.adapter.NewCompletionQueue(2 * peerDepth))(t)
	e := made(here.adapter.NewEndpoint(rdma.EndpointConfig{
		Zone: here.zone, SendDepth: peerDepth, RecvDepth: peerDepth, Requests: v.requests, Receives: v.receives,
	}))(t)
	for range peerDepth {
		must(t, v.postReceive(e))
	}
	v.process = exec.Command(os.Args[0])
	v.process.Env = append(os.Environ(), peerVariable+"="+ln.Addr())
	v.process.Stderr = os.Stderr
	v.stdin = made(v.process.StdinPipe())(t)
	must(t, v.process.Start())
	t.Cleanup(v.reap)
	ctx := within(t)
	select {
	case request := <-ln.Requests():
		must(t, v.there.UnmarshalBinary(request.PrivateData()))
		v.conn = made(request.AcceptOn(ctx, e, made(here.mem.Remote().MarshalBinary())(t)))(t)
	case <-ctx.Done():
		t.Fatal("the peer process did not connect")
	}
	return v
}

// reap ends the process, if it still runs, and takes what is left of it.
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

// again posts a receive for each that succeeded.
func (v *victim) again(list []rdma.Completion) {
	for _, c := range list {
		if c.Err() == nil {
			v.postReceive(c.Endpoint) // refused once the endpoint is closed
		}
	}
}

// read enters what comes out of a dispatcher until ctx ends.
func (v *victim) read(work *sync.WaitGroup, ctx context.Context, d *event.Dispatcher[rdma.Completion], l *ledger, then func([]rdma.Completion)) {
	work.Go(func() {
		var list [16]rdma.Completion
		for {
			n, err := d.WaitBatch(ctx, list[:])
			l.take(list[:n])
			if then != nil {
				then(list[:n])
			}
			if err != nil {
				return
			}
		}
	})
}

// postUntilEnd keeps the queue full, says when so many posts have been made,
// and makes some more posts after the end.
func (v *victim) postUntilEnd(moment int, reached func()) {
	defer reached()
	late := 0
	for i := uint64(0); late < 8; i++ {
		err := v.sent.post(0, 0, func(cookie uint64) error {
			return postSomething(v.conn, v.here.mem, v.there, i, cookie)
		})
		switch {
		case err == nil && int(i) == moment:
			reached()
		case err != nil: // no room, or closed
			i--
		}
		if v.conn.Context().Err() != nil {
			late++
		}
	}
}

// callUntilEnd reads with waiting calls and gives the error of the one that was
// interrupted.
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
