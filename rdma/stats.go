package rdma

import (
	"time"

	"github.com/godapl/godapl/internal/hca"
)

// OpStats counts operations of one kind.
type OpStats struct {
	Operations uint64
	Bytes      uint64 // as Completion.Length counts them
}

// Stats is what a connection or an endpoint has done so far, or all endpoints of an adapter. Counts
// begin at 0 and never decrease. An operation is counted when it completes, also one with the flag
// [NoCompletion].
type Stats struct {
	// Ops counts successful operations by [Op]: Stats.Ops[OpWrite]. Receives are counted by how they
	// were filled: OpRecv, OpRecvImm and so on. Reads and writes by the peer are
	// not counted: the peer counts them.
	Ops [OpRecvWriteImm + 1]OpStats
	// Completions counts completed operations by [Status]: StatusOK, StatusFlushed and so on.
	Completions [StatusFatal + 1]uint64
	// ReceiveWaits counts messages of peers that found no receive and waited for one, and ReceiveWait is
	// how long they waited together, the wait that goes on included. ReceiveWaitNow is how long that one
	// has lasted, the longest of several connections; 0: no message waits. Devices do not tell: 0.
	ReceiveWaits                uint64
	ReceiveWait, ReceiveWaitNow time.Duration
	// SendStalls counts how often the transport had no room for what this side had to send: the
	// socket's buffer, or the ring in shared memory, was full. SendStall is how long that lasted, the stall
	// that goes on included. SendStallNow is how long the transport has taken nothing, the longest time of
	// several connections; 0: it has room. Devices do not tell: 0.
	SendStalls              uint64
	SendStall, SendStallNow time.Duration
	// SendHigh is the largest number of requests that have waited in a send queue at the same time.
	// A request that is carried out while it is posted does not wait. Devices do not tell: 0.
	SendHigh uint64
	// Retransmits counts TCP segments that were sent again, and is 0 on other paths. For devices,
	// the kernel counts per port (rdma statistic).
	Retransmits uint64
	// Latency has the times from post to completion of requests that succeeded, if
	// [OpenConfig].Latency is set: Stats.Latency[OpWrite]. It is nil for an operation that has not
	// been done. A completion is made when the adapter knows the end, not when the program takes it;
	// that of a device is made when it is read from the device. The caller must not change it.
	// Receives are not measured: they wait for the peer.
	Latency map[Op]*Latency
	// Requests and Receives are how many are posted and not complete now, as far as this side has noticed:
	// [Endpoint.Outstanding] looks harder. Receives of a shared queue do not count.
	Requests, Receives int
	// Stale: the counters of a connection could not be read, because a goroutine held them for as long as
	// the call waits. Those of the call before are given.
	Stale bool
}

// Sent is the sum over the operations that this side has requested: sends, writes, reads, atomics and
// binds.
func (s Stats) Sent() OpStats { return s.sum(0, OpRecv) }

// Received is the sum over the receives.
func (s Stats) Received() OpStats { return s.sum(OpRecv, OpRecvWriteImm+1) }

func (s *Stats) sum(from, to Op) (t OpStats) {
	for _, c := range s.Ops[from:to] {
		t.Operations += c.Operations
		t.Bytes += c.Bytes
	}
	return t
}

// add adds the counters of x. The histograms of s must be its own.
func (s *Stats) add(x *Stats) {
	for i := range s.Ops {
		s.Ops[i].Operations += x.Ops[i].Operations
		s.Ops[i].Bytes += x.Ops[i].Bytes
	}
	for i := range s.Completions {
		s.Completions[i] += x.Completions[i]
	}
	s.ReceiveWaits += x.ReceiveWaits
	s.ReceiveWait += x.ReceiveWait
	s.ReceiveWaitNow = max(s.ReceiveWaitNow, x.ReceiveWaitNow)
	s.SendStalls += x.SendStalls
	s.SendStall += x.SendStall
	s.SendStallNow = max(s.SendStallNow, x.SendStallNow)
	s.SendHigh = max(s.SendHigh, x.SendHigh)
	s.Retransmits += x.Retransmits
	s.Requests += x.Requests
	s.Receives += x.Receives
	s.addLatency(x)
	s.Stale = s.Stale || x.Stale
}

// Stats returns the counters of this connection, also when it has ended. It enters the connection's
// gates for a moment to read them, and waits for a tenth of a second at most: see Stats.Stale. It may
// be called from anywhere.
func (c *Conn) Stats() Stats {
	s, _ := c.session.stats(hca.NewPatience(false))
	return s
}

// Stats returns the sum over all connections of the endpoint so far. See [Conn.Stats].
func (e *Endpoint) Stats() Stats { return e.stats(hca.NewPatience(false)) }

func (e *Endpoint) stats(p *hca.Patience) Stats {
	var now Stats
	counted, sess := true, e.session.Load()
	if sess != nil {
		now, counted = sess.stats(p)
	}
	e.counters.Lock()
	s := e.past
	s.ownLatency() // before retire adds to those of past
	counted = counted || sess.counted
	e.counters.Unlock()
	if !counted {
		s.add(&now)
	}
	if sess == nil {
		e.mu.Lock()
		s.Receives = len(e.earlyRecvs)
		e.mu.Unlock()
	}
	return s
}

// retire adds the counters of a session whose queue pair is closed to the endpoint's past.
func (e *Endpoint) retire(sess *session) {
	last, counted := sess.stats(hca.NewPatience(false))
	for try := 0; last.Stale && try < 10; try++ { // the queue pair is closed: what still holds it leaves soon
		last, counted = sess.stats(hca.NewPatience(false))
	}
	if counted {
		return
	}
	last.Stale, last.Requests, last.Receives = false, 0, 0
	last.ReceiveWaitNow, last.SendStallNow = 0, 0
	e.counters.Lock()
	defer e.counters.Unlock()
	if !sess.counted {
		e.past.add(&last)
		sess.counted = true
	}
}

// stats reads the counters of the queue pair, and reports whether they are in the endpoint's past already. Nobody
// holds a lock while it waits.
func (sess *session) stats(p *hca.Patience) (s Stats, counted bool) {
	r, ok := sess.qp.(hca.QPStatsReader)
	if !ok {
		return Stats{}, false
	}
	var q hca.QPStats
	fresh := r.ReadStats(&q, p)
	sess.ep.counters.Lock()
	defer sess.ep.counters.Unlock()
	if fresh {
		sess.last.update(&q)
	}
	sess.last.Stale = !fresh
	return sess.last, sess.counted
}
