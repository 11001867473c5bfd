package integration_test

import (
	"testing"

	"github.com/godapl/godapl/rdma"
)

// TestFullRing posts far more than the shared memory of a connection holds, while
// the peer is stopped. The adapter's other connections continue. When the peer
// continues, every accepted post completes; when it is killed instead, every post is
// flushed.
func TestFullRing(t *testing.T) {
	here := newSide(t, open(t, "soft-shm"), peerMemory)
	ln := made(here.adapter.Listen(within(t), "127.0.0.1:0", rdma.ListenConfig{}))(t)
	others := bystand(t, here.adapter)
	for name, killed := range map[string]bool{"goes on": false, "killed": true} {
		t.Run(name, func(t *testing.T) { fullRing(t, here, ln, others, killed) })
	}
}

func fullRing(t *testing.T, here *side, ln *rdma.Listener, others *bystander, kill bool) {
	const depth = 2000
	v := newVictim(t, here, "soft-shm", depth)
	v.accept(t, ln)

	stopProcess(t, v.process.Process)
	before := others.count()
	accepted := 0
	for i := range depth + 10 {
		err := v.sent.post(0, 0, func(cookie uint64) error {
			if i%3 == 0 {
				return v.conn.PostRead(rdma.Read{Into: here.mem.Slice(atFetched, 4096), From: v.there.Slice(atConstant, 4096), Cookie: cookie})
			}
			return v.conn.PostSend(rdma.Send{From: here.mem.Slice(atConstant, 1+i%4096), Cookie: cookie})
		})
		if err != nil {
			wantCode(t, err, rdma.ErrQueueFull, "a post beyond the depth")
			break
		}
		accepted++
	}
	others.goOn(t, before)
	requests, _ := v.conn.Outstanding()
	t.Logf("%d posts were accepted, %d wait", accepted, requests)
	if accepted < depth || requests < depth/2 {
		t.Errorf("%d posts were accepted and %d wait: the ring cannot have been full", accepted, requests)
	}
	if kill {
		must(t, v.process.Process.Kill())
		ended(t, v.conn, rdma.ErrBroken)
	} else {
		continueProcess(t, v.process.Process)
	}
	list := take(t, v.requests.Dispatcher(), accepted)
	v.sent.take(list)
	for _, c := range list {
		if !kill && c.Err() != nil {
			t.Fatalf("%v: %v", c.Op, c.Err())
		}
	}
	must(t, v.conn.Endpoint().Close())
	drain(v.requests.Dispatcher(), v.sent)
	drain(v.receives.Dispatcher(), v.received)
	v.sent.check(t, "full ring")
	v.received.check(t, "full ring")
	must(t, v.requests.Close())
	must(t, v.receives.Close())
	v.reap()
}
