package rdmatest_test

import (
	"context"
	"time"

	"github.com/godapl/godapl/internal/hca/soft/core"
	"github.com/godapl/godapl/rdma"
)

// earlyPost is how far an end has come that posts something before it learns that it is connected.
type earlyPost uint8

const (
	earlyNone earlyPost = iota
	earlyDue
	earlyPosted
)

// earlyMost is how long the connection may take to carry it out. A request that nothing but a timer continues takes
// longer.
const earlyMost = 5 * time.Second

// early draws which ends post early, and returns the hook that does it: as soon as the adapter takes posts, which is
// before the program gets its connection. Over shared memory a message completes when it has its receive, which others
// may have taken that are in use later.
func (l *programLink) early() *func(*core.QP, string) {
	for _, e := range l.ends {
		if l.p.draw.IntN(2) == 0 && (e.peer.places.queue == nil || !l.p.shareMemory(e.host, e.peer.host)) {
			e.early = earlyDue
		}
	}
	hook := func(_ *core.QP, step string) {
		for _, e := range l.ends {
			if step == "established" && e.early == earlyDue && e.postEarly() {
				e.early = earlyPosted
			}
		}
	}
	return &hook
}

// postEarly posts a request of a kind that follows from the connection's number, if the adapter takes it.
func (e *programEnd) postEarly() bool {
	cookie := e.cookie + 1
	var err error
	switch kind := e.p.w.Seed() % 3; kind {
	case 0:
		err = e.endpoint.PostSend(rdma.Send{From: e.region.Slice(outAt, 100), Cookie: cookie})
	case 1:
		err = e.endpoint.PostWrite(rdma.Write{To: e.target(0), Flags: rdma.WithImmediate, Cookie: cookie})
	default:
		err = e.endpoint.PostFetchAdd(rdma.FetchAdd{Into: e.region.Slice(intoAt, 8), At: e.peer.region.Slice(targetAt+part-8, 8).Remote(), Add: 1, Cookie: cookie})
		if err == nil {
			e.count++
		}
	}
	if err != nil {
		return false
	}
	e.cookie = cookie
	if c, err := e.endpoint.SendCompletions().Dequeue(); err == nil {
		e.failf("request %d completed with %v before the end had learned that it is connected", c.Cookie, c.Status)
	}
	return true
}

// earlyDone waits for what was posted early.
func (e *programEnd) earlyDone(ctx context.Context) {
	if e.early != earlyPosted {
		return
	}
	begun := time.Now()
	must(e.p.t, e.take(ctx, e.cookie))
	if took := time.Since(begun); took > earlyMost {
		e.failf("what was posted before the connection has taken %v", took)
	}
	clear(e.bytes[intoAt : intoAt+8])
}
