package soft

import (
	"errors"
	"fmt"

	"github.com/godapl/godapl/internal/hca"
)

// How a connection over shared memory ends. Each side has a word, its verdict,
// that it writes once and the peer looks at whenever it finds nothing else. A
// side that dies leaves none, which its socket tells. What a verdict says of the
// peer's requests is that those which were handled are done, that the oldest of
// the others failed with the status, if there is one, and that nothing came of
// those behind it.

var (
	errFrame    = errors.New("a frame that makes no sense")
	errMixed    = errors.New("a frame inside another message")
	errAnswer   = errors.New("an answer that nobody asked for")
	errPeerGone = hca.NewError(hca.Broken, "connection", "", "the peer's process has ended or closed it without a word")
)

const (
	verdictOver   = 1
	verdictBroken = 2
)

func verdict(kind hca.ConnEventKind, status hca.Status) uint64 {
	if kind == hca.EventDisconnected {
		return verdictOver
	}
	return verdictBroken | uint64(status)<<8
}

// verdictError is the peer's verdict, as this side reports it.
func verdictError(v uint64) (hca.ConnEventKind, error) {
	if v == verdictOver {
		return hca.EventDisconnected, hca.NewError(hca.Disconnected, "connection", "", "the peer disconnected")
	}
	if s := verdictStatus(v); s != hca.StatusOK {
		return hca.EventBroken, hca.NewError(hca.Broken, "connection", "", "the peer refused a request and broke it: "+s.String())
	}
	return hca.EventBroken, hca.NewError(hca.Broken, "connection", "", "the peer broke it")
}

// verdictStatus is what became of the oldest request that the peer has not
// handled; StatusOK if it does not say.
func verdictStatus(v uint64) hca.Status {
	switch s := hca.Status(v >> 8); s {
	case hca.StatusRemoteAccess, hca.StatusRemoteInvalid, hca.StatusRemoteOp, hca.StatusReceiverNotReady, hca.StatusLocalProtection:
		return s
	}
	return hca.StatusOK
}

// tellWith gives the verdict, unless there is one. The caller is inside a gate.
func (c *shmConn) tellWith(v uint64) {
	if c.gone {
		return
	}
	c.in.requests.insist() // the verdict is of what was not handled
	if c.m.verdict[0].CompareAndSwap(0, v) {
		raceSend()
		c.ring()
	}
}

// tell says to the peer how this side's state came to be over.
func (c *shmConn) tell() {
	c.q.mu.Lock()
	kind := c.q.kind
	c.q.mu.Unlock()
	c.tellWith(verdict(kind, hca.StatusOK))
}

// fail ends the connection from inside rx. status is for the peer's request.
func (c *shmConn) fail(kind hca.ConnEventKind, err error, status hca.Status, af *after) {
	c.tellWith(verdict(kind, status))
	if first, abort := c.q.markOver(kind, err); first {
		if abort != nil {
			c.a.engine.do(abort)
		}
		if kind == hca.EventBroken {
			c.a.log.Info("connection broken", "remote", c.remote, "error", err)
		}
	}
	c.pumpRxOver(af)
}

// refuse ends the connection for what a frame asks.
func (c *shmConn) refuse(status hca.Status, why string, af *after) outcome {
	c.fail(hca.EventBroken, hca.NewError(hca.Broken, "connection", "", why), status, af)
	return failed
}

// malformed is refuse for a peer that does not keep to the protocol.
func (c *shmConn) malformed(err error, af *after) outcome {
	c.corrupt(err, af)
	return failed
}

// corrupt ends the connection for damage in the shared memory. The caller is
// inside either gate. It reports false.
func (c *shmConn) corrupt(err error, af *after) bool {
	c.tellWith(verdictBroken)
	if c.bad.Swap(true) {
		return false
	}
	e := hca.Wrap(hca.Broken, "connection", "", "the peer has damaged the memory that both share", err)
	c.a.log.Info("connection broken", "remote", c.remote, "error", e)
	c.q.breakNow(e)
	c.a.engine.do(c.finishRx)
	return false
}

// end is qp.end's part.
func (c *shmConn) end(hca.ConnEventKind, error) { c.finishRx() }

// finishRx has the receiving half notice that the state is over. The caller is inside no gate.
func (c *shmConn) finishRx() {
	if c.rx.enter() {
		c.readOn()
	}
}

// beforeFlush takes what was done before the end. It is called inside tx.
func (c *shmConn) beforeFlush(af *after) {
	q, o := c.q, &c.out
	if o.closed {
		return
	}
	c.tell()
	c.collect(af)
	c.settle()
	o.closed = true
	status := verdictStatus(c.m.verdict[1].Load())
	if status == hca.StatusOK {
		return
	}
	for i := q.sq.head; i != q.sq.tail; i++ {
		if r := q.sq.at(i); !r.done {
			if r.begun && r.wr.Op != hca.OpBind {
				r.done, r.status = true, status
				if status == hca.StatusLocalProtection {
					c.findLost(r)
				}
			}
			return
		}
	}
}

// flush completes the send side as flushed. The caller is inside tx, and the state is over.
func (c *shmConn) flush(af *after) {
	if !c.q.flushable() {
		return
	}
	c.beforeFlush(af)
	c.q.flushSend(af)
	c.overTx()
}

// awaitApart returns when neither side uses memory of the other any more.
func (c *shmConn) awaitApart() {
	c.expel()
	if c.ending.Load() {
		// It is inside the gates at its end, and has the entries of late posts to make.
		<-c.apart
	}
}

// overTx is called inside tx when the send side has been flushed.
func (c *shmConn) overTx() {
	if c.ending.CompareAndSwap(false, true) {
		c.a.bg.start(c.dismantle)
	}
}

// dismantle takes the memory and the descriptors away once both halves have
// finished, and the peer has left this side's memory. A peer that was stopped there is
// waited for, but not inside the gates: what is posted meanwhile is flushed at once.
func (c *shmConn) dismantle() {
	defer close(c.apart)
	c.stop()
	for {
		c.rx.lock()
		c.q.tx.lock()
		over := c.in.flushed && c.q.flush.send
		var af after
		if !over {
			c.pump(&af)
		}
		c.leave(&af)
		c.readOn()
		if over {
			break
		}
	}
	c.expelling.Store(true)
	c.expel()
	c.rx.lock()
	c.q.tx.lock()
	c.visitMu.Lock()
	c.gone = true
	c.unmap()
	c.visitMu.Unlock()
	c.leave(&after{})
	c.readOn()
}

// String names the connection for logs.
func (c *shmConn) String() string { return fmt.Sprintf("shared memory with %s", c.remote) }
