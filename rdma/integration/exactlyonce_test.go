package integration_test

import (
	"context"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/godapl/godapl/rdma"
)

var paths = []string{"soft", "soft-loop", "soft-tcp"}

// TestEveryPostCompletesOnce mixes everything: several connections, all
// operations, one by one and in batches, waiting calls that are cancelled,
// completions taken through every face, and ends of every kind in the middle of
// it. Whatever happens, every post that was accepted completes exactly once, in
// order; no message is lost, changed or doubled; and all can be closed.
func TestEveryPostCompletesOnce(t *testing.T) {
	for _, name := range paths {
		t.Run(name, func(t *testing.T) {
			r := random(t)
			mix(t, name, "127.0.0.1:0", mixtures, r)
		})
	}
}

// mix does that a number of times.
func mix(t *testing.T, name, address string, times int, r *rand.Rand) {
	t.Helper()
	posts, failures := 0, 0
	for range times {
		n, k := mixture(t, name, address, branch(r))
		posts, failures = posts+n, failures+k
		if t.Failed() {
			return
		}
	}
	t.Logf("%d connections, %d posts, %d not done", times*connections, posts, failures)
}

const (
	mixtures    = 12
	connections = 3
)

// ends are what may happen to a connection in the middle. x is the side on which
// it happens. In the orderly ones, what x has posted is done.
var ends = []struct {
	name    string
	orderly bool
	do      func(t *testing.T, x *party)
}{
	{"nothing", true, nil},
	{"graceful disconnect", true, func(t *testing.T, x *party) { x.endpoint.Disconnect(true) }},
	{"abrupt disconnect", false, func(t *testing.T, x *party) { x.endpoint.Disconnect(false) }},
	{"abrupt from both", false, func(t *testing.T, x *party) {
		var both sync.WaitGroup
		both.Go(func() { x.endpoint.Disconnect(false) })
		x.peer.endpoint.Disconnect(false)
		both.Wait()
	}},
	{"graceful from both", false, func(t *testing.T, x *party) {
		var both sync.WaitGroup
		both.Go(func() { x.endpoint.Disconnect(true) })
		x.peer.endpoint.Disconnect(true)
		both.Wait()
	}},
	{"close", false, func(t *testing.T, x *party) { must(t, x.endpoint.Close()) }},
	{"free what is sent", false, func(t *testing.T, x *party) { must(t, x.out.Free()) }},
	{"free what is received into", false, func(t *testing.T, x *party) { must(t, x.in.Free()) }},
	{"free what is fetched into", false, func(t *testing.T, x *party) { must(t, x.fetched.Free()) }},
	{"free what the peer reads", false, func(t *testing.T, x *party) { must(t, x.constant.Free()) }},
	{"free what the peer writes", false, func(t *testing.T, x *party) {
		must(t, x.window.Free()) // it holds the region
		must(t, x.target.Free())
	}},
}

func mixture(t *testing.T, name, address string, r *rand.Rand) (posts, failures int) {
	t.Helper()
	a, b := open(t, name), open(t, name)
	za, zb := made(a.NewZone())(t), made(b.NewZone())(t)
	var all []*party
	for range connections {
		x, y := newParty(t, a, za), newParty(t, b, zb)
		x.peer, y.peer = y, x
		x.byCalls, y.byCalls = r.IntN(3) == 0, r.IntN(3) == 0
		all = append(all, x, y)
	}
	taking, done := takeCompletions(t, all, r)
	var work sync.WaitGroup
	for i := 0; i < len(all); i += 2 {
		pair := all[i : i+2]
		connectParties(t, pair[0], pair[1], address, r)
		r := branch(r)
		work.Go(func() { disturb(t, pair[r.IntN(2)], r) })
	}
	work.Wait()
	for _, p := range all {
		must(t, p.endpoint.Close())
	}
	close(done)
	taking.Wait()
	for _, p := range all {
		n, k := p.check(p.story)
		posts, failures = posts+n, failures+k
	}
	closeParties(t, all)
	must(t, za.Close())
	must(t, zb.Close())
	must(t, a.CloseIdle())
	must(t, b.CloseIdle())
	return posts, failures
}

// takeCompletions makes the parties' queues and endpoints, with one queue for
// each kind, for each party, or for all parties of an adapter, and starts a
// goroutine for each queue.
func takeCompletions(t *testing.T, all []*party, r *rand.Rand) (*sync.WaitGroup, chan struct{}) {
	t.Helper()
	var queues []*rdma.CompletionQueue
	queue := func(a *rdma.Adapter, depth int) *rdma.CompletionQueue {
		q := made(a.NewCompletionQueue(depth))(t)
		queues = append(queues, q)
		return q
	}
	const each = 2 * partyDepth
	shared := map[*rdma.Adapter]*rdma.CompletionQueue{}
	sharing := r.IntN(3)
	for _, p := range all {
		switch sharing {
		case 0:
			p.requests, p.receives = queue(p.adapter, each), queue(p.adapter, each)
		case 1:
			p.requests = queue(p.adapter, 2*each)
			p.receives = p.requests
		case 2:
			if shared[p.adapter] == nil {
				shared[p.adapter] = queue(p.adapter, 2*each*connections)
			}
			p.requests, p.receives = shared[p.adapter], shared[p.adapter]
		}
		p.endpoint = made(p.adapter.NewEndpoint(rdma.EndpointConfig{
			Zone: p.zone, SendDepth: partyDepth, RecvDepth: partyDepth,
			Requests: p.requests, Receives: p.receives, SolicitedOnly: !p.byCalls && r.IntN(4) == 0,
		}))(t)
	}
	whose := map[*rdma.Endpoint]*party{}
	for _, p := range all {
		whose[p.endpoint] = p
	}
	var taking sync.WaitGroup
	done := make(chan struct{})
	for _, q := range queues {
		r := branch(r)
		taking.Go(func() {
			takeAllWays(t, q.Dispatcher(), r, done, func(list []rdma.Completion) {
				for i := range list {
					whose[list[i].Endpoint].complete(&list[i])
				}
			})
		})
	}
	return &taking, done
}

func connectParties(t *testing.T, x, y *party, address string, r *rand.Rand) {
	t.Helper()
	for _, p := range []*party{x, y} {
		if !p.byCalls {
			for range r.IntN(partyDepth) {
				must(t, p.postReceive(p.endpoint.PostRecv))
				p.receivesPosted++
			}
		}
	}
	x.conn, y.conn = link(t, x.endpoint, y.endpoint, address)
}

// disturb lets both sides of a connection work and has something happen to x at
// some moment.
func disturb(t *testing.T, x *party, r *rand.Rand) {
	posts := 100 + r.IntN(300)
	end := ends[r.IntN(len(ends))]
	at := r.IntN(posts)
	var once sync.Once
	moment, reached := context.WithCancel(context.Background())
	var posting, receiving, ending sync.WaitGroup
	for _, p := range []*party{x, x.peer} {
		ours, theirs := branch(r), branch(r)
		receiving.Go(func() { p.receive(theirs) })
		p.work(&posting, ours, posts, func(i int) {
			if p == x && i >= at {
				once.Do(reached)
			}
		})
	}
	ending.Go(func() {
		select {
		case <-moment.Done():
		case <-x.conn.Context().Done():
		}
		if end.do != nil {
			end.do(t, x)
		}
	})
	posting.Wait()
	reached()
	ending.Wait()
	// What has happened may have been too late to end the connection.
	orderly := end.orderly && x.conn.Context().Err() == nil || end.name == "graceful disconnect"
	if x.endpoint.State() == rdma.StateConnected {
		x.conn.Shutdown(within(t))
	}
	ended(t, x.conn, rdma.ErrDisconnected, rdma.ErrBroken)
	ended(t, x.peer.conn, rdma.ErrDisconnected, rdma.ErrBroken)
	receiving.Wait()
	x.orderly = orderly
	x.story, x.peer.story = end.name, end.name+" at the peer"
	x.postLate()
	x.peer.postLate()
}
