package rdmatest

import (
	"context"
	"errors"
	"time"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/iwarp"
)

// judge reports an end of the connection that cannot be as it is told.
func (q *worldQP) judge(ev *hca.ConnEvent) {
	w := q.a.h.w
	w.mu.Lock()
	inside := q.in != nil && q.in.read.inside()
	damaged := w.fired["corrupt"] > 0
	w.mu.Unlock()
	q.mu.Lock()
	defer q.mu.Unlock()
	var malformed iwarp.ParseError
	var e *hca.Error
	q.orderly = ev.Kind == hca.EventDisconnected
	if q.orderly {
		q.wrongEnd()
	}
	switch {
	case q.peer == nil: // a test speaks by itself
	case ev.Kind == hca.EventDisconnected && ev.Err != nil && inside:
		q.faultf("the stream ended inside a message, and the connection in order: %v", ev.Err)
	case errors.As(ev.Err, &malformed) && !damaged:
		q.faultf("the peer sent what is no iWARP: %v", ev.Err)
	case errors.As(ev.Err, &e) && e.Status == hca.StatusReceiverNotReady && q.hadReceive():
		q.faultf("there was a receive, and a message did not find it: %v", ev.Err)
	}
}

// settledFor is how long a receive is posted before a message must have found it.
const settledFor = time.Second

// hadReceive reports whether a receive was posted that no message has taken, for some time. The caller holds q.mu.
func (q *worldQP) hadReceive() bool {
	if q.shared == nil {
		return len(q.recvs) > 0 && len(q.recvs) >= q.peer.outbox.len() && time.Since(q.posted) > settledFor
	}
	available, _ := q.shared.Counts()
	return available > 0 && time.Since(q.shared.latest()) > settledFor
}

// wrongEnd reports an end in order of a connection that a request has broken. The caller holds q.mu.
func (q *worldQP) wrongEnd() {
	if q.orderly && q.caused && q.forced == hca.StatusOK {
		q.faultf("%s, and the connection has ended in order", q.failed)
	}
}

// hurry makes all entries visible of a queue pair that is over. Its layers above look once, and then give up the queue.
func (q *worldQP) hurry() {
	for _, c := range q.queues {
		if c != nil {
			c.hurry()
		}
	}
}

// Connect implements hca.QP. An attempt that fails flushes the receives, and no event tells of it; nor does one of an
// accept.
func (q *worldQP) Connect(ctx context.Context, address string, p hca.ConnParams) error {
	err := q.QP.Connect(ctx, address, p)
	if err != nil {
		q.hurry()
	}
	return err
}

// Close implements hca.QP. What was posted behind the end was flushed, too, or an attempt to connect was under way.
func (q *worldQP) Close() error {
	q.closed.Store(true)
	err := q.QP.Close()
	q.hurry()
	return err
}
