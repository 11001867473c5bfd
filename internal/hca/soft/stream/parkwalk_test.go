package stream

import (
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/park"
	"github.com/godapl/godapl/internal/hca/soft/core"
	"github.com/godapl/godapl/internal/hca/soft/stream/wire"
	"github.com/godapl/godapl/internal/iwarp"
	"github.com/godapl/godapl/internal/wait"
	"github.com/godapl/godapl/internal/wait/interleave"
)

// tap is a wire that the test fills, with the adapter's poller and the parks of consumers as the kernel has them:
// an arrival is told once to the place where the socket is watched; arming tells what is there.
type tap struct {
	deafWire
	r *interleave.Run
	c *Conn

	mu            sync.Mutex // the engine's goroutines are no part of the run
	input         []byte
	fin           bool
	armed, parked bool
	at            *park.Park
	reads         int
	queues        map[*park.Park]*tapQueue
}

func (w *tap) Read(p []byte) (n int, err error) {
	w.r.Step("read")
	defer w.r.Step("has read")
	w.mu.Lock()
	defer w.mu.Unlock()
	w.reads++
	switch {
	case len(w.input) > 0:
		n = copy(p, w.input)
		w.input = w.input[n:]
		return n, nil
	case w.fin:
		return 0, io.EOF
	}
	return 0, wire.ErrAgain
}

func (w *tap) Arm(rx, _ bool) {
	w.r.Step("arm the socket")
	w.mu.Lock()
	defer w.mu.Unlock()
	if !rx || w.parked {
		return
	}
	w.at = nil
	if !w.armed {
		w.armed = true
		if len(w.input) > 0 || w.fin {
			w.c.Schedule()
		}
	}
}

func (w *tap) Armed() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.armed
}

func (w *tap) Leave() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.parked {
		w.at = nil
	}
}

func (w *tap) park(p *park.Park) int {
	w.r.Step("park the socket")
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.at != p {
		w.at = p
		if len(w.input) > 0 || w.fin {
			w.queues[p].signal()
		}
	}
	w.parked, w.armed = true, false
	return 3
}

func (w *tap) unpark() {
	w.r.Step("unpark the socket")
	w.mu.Lock()
	defer w.mu.Unlock()
	w.parked = false
}

// arrive is the kernel and, if it watches the socket, the adapter's poller.
func (w *tap) arrive(b []byte, fin bool) {
	w.mu.Lock()
	w.input, w.fin = append(w.input, b...), fin
	told := w.armed
	if w.at != nil {
		w.queues[w.at].signal()
	}
	if told && w.c.Polled.Load() {
		w.armed = false
	}
	w.mu.Unlock()
	if told {
		w.r.Step("the poller")
		w.c.event(true)
	}
}

// tapQueue is a kernel queue.
type tapQueue struct {
	r    *interleave.Run
	edge chan struct{}
	past atomic.Bool
}

func (*tapQueue) Add(int) error { return nil }

// Ready reports the socket, which is the only one, each time.
func (*tapQueue) Ready(fds []int32) int {
	fds[0] = 3
	return 1
}
func (*tapQueue) Remove(int) {}
func (*tapQueue) End()       {}
func (*tapQueue) Close()     {}
func (q *tapQueue) Clear()   { q.past.Store(false) }

func (q *tapQueue) Await(look func() bool) error {
	select {
	case <-q.edge:
	default:
	}
	for !q.past.Load() {
		if look() {
			return nil
		}
		q.r.Step("sleep")
		if !q.past.Load() {
			<-q.edge
		}
	}
	return wait.ErrInterrupted
}

func (q *tapQueue) Interrupt() { q.past.Store(true); q.signal() }

func (q *tapQueue) signal() {
	select {
	case q.edge <- struct{}{}:
	default:
	}
}

// sleeper is a consumer of one queue.
type sleeper struct {
	r     *interleave.Run
	cq    *core.CQ
	cell  wait.Cell
	taken int
	polls int // looks that are no part of a wait
}

func (s *sleeper) Look() bool {
	var wcs [1]hca.WC
	if s.cq.Poll(wcs[:]) == 0 {
		return false
	}
	s.taken++
	return true
}

func (s *sleeper) Arm() { _ = s.cq.Arm() }

func (s *sleeper) consume(n int) {
	for range s.polls {
		s.r.Step("poll")
		s.Look()
	}
	for s.taken < n {
		s.cell.Wait(s, wait.Options{Parker: aloneAt{s.cq}})
		s.r.Step("done")
	}
}

// aloneAt is the parker of a queue with one consumer.
type aloneAt struct{ *core.CQ }

func (p aloneAt) ReleasePark() { p.CQ.ReleasePark(false) }

// pair is a connection with a consumer for each of its queues: a message arrives for one, the answer of an atomic
// operation for the other.
type pair struct {
	r               *interleave.Run
	a               *core.Adapter
	q               *core.QP
	w               *tap
	sends, recvs    sleeper
	answer, message []byte
	notified        func() // when either queue is notified; nil: its consumer is woken
}

func newPair(r *interleave.Run) *pair {
	must := func(err error) {
		if err != nil {
			panic(err)
		}
	}
	m := &pair{r: r}
	var path *Path
	m.a, path = newBare(hca.Options{})
	pd, err := m.a.NewPD()
	must(err)
	mr, err := pd.Register(hca.Memory{Bytes: make([]byte, 64)}, hca.AllAccess)
	must(err)
	m.w = &tap{r: r, queues: map[*park.Park]*tapQueue{}}
	for _, s := range []*sleeper{&m.sends, &m.recvs} {
		cq, err := m.a.NewCQ(hca.CQConfig{Depth: 8, Notify: func() {
			r.Step("notify")
			if m.notified != nil {
				m.notified()
				return
			}
			s.cell.Wake()
		}})
		must(err)
		s.r, s.cq = r, cq.(*core.CQ)
		k := &tapQueue{r: r, edge: make(chan struct{}, 1)}
		m.w.queues[s.cq.ParkAt(k)] = k
	}
	p, err := m.a.NewQP(hca.QPConfig{PD: pd, SendCQ: m.sends.cq, RecvCQ: m.recvs.cq, SendDepth: 4, RecvDepth: 4, SendSGE: core.MaxSGE, ReadsOut: 4, ReadsIn: 4})
	must(err)
	m.q = p.(*core.QP)
	c := path.newConn(m.q, true)
	m.w.c = c
	c.w, c.crc, c.ord, c.ird = m.w, true, 4, 4
	c.mulpdu.Store(longULPDU)
	c.peer.Store(peerGodapl)
	c.in.any = true
	c.ending.Store(true) // no goroutine closes the stream
	must(m.q.Open("test", nil))
	m.q.Establish(c)
	m.q.Release()
	local := hca.Segment{Addr: mr.Addr(), Len: 8, Key: mr.LKey()}
	must(m.q.PostRecv(hca.RecvWR{Local: local}))
	must(m.q.PostSend(hca.SendWR{Op: hca.OpFetchAdd, Local: local, Remote: 8, RKey: 1}))
	m.answer = iwarp.AppendAtomicResponse(nil, iwarp.FirstMSN, iwarp.AtomicResponse{ID: uint32(readSTag(iwarp.FirstMSN)), Original: 7}, true)
	m.message = segments(func(last bool, off int) []byte {
		return iwarp.AppendUntaggedHeader(nil, iwarp.UntaggedHeader{Op: iwarp.OpSend, Last: last, QN: iwarp.QueueSend, MSN: iwarp.FirstMSN, MO: iwarp.MO(off)}, 4)
	}, make([]byte, 8), true)
	c.start()
	r.Release(func() {
		m.sends.taken, m.recvs.taken = 9, 9
		_ = m.q.Disconnect(false)
	})
	r.Finally(func() { m.a.Shutdown(func() {}) })
	return m
}

// check is for the end of a run in which each consumer got what came for it.
func (m *pair) check() error {
	if m.sends.taken != 1 || m.recvs.taken != 1 {
		return fmt.Errorf("%d answers and %d messages were taken", m.sends.taken, m.recvs.taken)
	}
	return nil
}

// sample makes runs of a scenario in many orders.
func sample(t *testing.T, build func(r *interleave.Run)) {
	t.Helper()
	n := 300
	if testing.Short() {
		n = 100
	}
	if rep := interleave.Sample(t, n, build); rep.Err != nil {
		t.Fatalf("%v: %v", rep, rep.Err)
	}
}

// TestTwoQueuesHandTheirConnectionOver: the consumers of both queues park at one connection. The one that parks
// reads for both; when it leaves, the other still gets what comes.
func TestTwoQueuesHandTheirConnectionOver(t *testing.T) {
	for name, first := range map[string]func(m *pair) (a, b []byte){
		"message first": func(m *pair) (a, b []byte) { return m.message, m.answer },
		"answer first":  func(m *pair) (a, b []byte) { return m.answer, m.message },
	} {
		t.Run(name, func(t *testing.T) {
			sample(t, func(r *interleave.Run) {
				m := newPair(r)
				r.Go("requester", func() { m.sends.consume(1) })
				r.Go("receiver", func() { m.recvs.consume(1) })
				r.Go("peer", func() {
					a, b := first(m)
					m.w.arrive(a, false)
					r.Step("arrive")
					m.w.arrive(b, false)
				})
				r.Check(m.check)
			})
		})
	}
}

// TestFromPollingToWaiting: a consumer polls, with which it takes the connection out of the poller, and then
// waits.
func TestFromPollingToWaiting(t *testing.T) {
	sample(t, func(r *interleave.Run) {
		m := newPair(r)
		m.recvs.polls, m.sends.polls = 2, 1
		r.Go("requester", func() { m.sends.consume(1) })
		r.Go("receiver", func() { m.recvs.consume(1) })
		r.Go("peer", func() {
			m.w.arrive(m.message, false)
			r.Step("arrive")
			m.w.arrive(m.answer, false)
		})
		r.Check(m.check)
	})
}

// TestTheEndComesWithTheLastBytes: consumers that wait are told of the end of the stream, also if it arrives
// together with bytes that complete nothing.
func TestTheEndComesWithTheLastBytes(t *testing.T) {
	sample(t, func(r *interleave.Run) {
		m := newPair(r)
		r.Go("requester", func() { m.sends.consume(1) })
		r.Go("receiver", func() { m.recvs.consume(1) })
		r.Go("peer", func() {
			m.w.arrive(m.message[:len(m.message)/2], false)
			r.Step("arrive")
			m.w.arrive(nil, true)
		})
		r.Check(m.check) // both flushed
	})
}

// TestAConnectionEndsUnderParkedConsumers: this side ends it.
func TestAConnectionEndsUnderParkedConsumers(t *testing.T) {
	sample(t, func(r *interleave.Run) {
		m := newPair(r)
		r.Go("requester", func() { m.sends.consume(1) })
		r.Go("receiver", func() { m.recvs.consume(1) })
		r.Go("peer", func() { m.w.arrive(m.message, false) })
		r.Go("end", func() { _ = m.q.Disconnect(false) })
		r.Check(m.check)
	})
}

// both is a consumer of both queues that waits for them together, as a set does: it takes one completion, polls until
// it finds nothing, which arms, and waits again.
type both struct {
	m     *pair
	cell  wait.Cell
	ready bool // one of the queues was notified, and not polled since
}

func (b *both) Look() bool { return b.ready }
func (*both) Arm()         {}

// AcquirePark, Park, Kicker and ReleasePark implement wait.Parker.
func (b *both) AcquirePark() bool {
	return b.m.recvs.cq.AcquirePark() && b.m.recvs.cq.Gather(b.m.sends.cq)
}
func (b *both) Park(again func() bool) bool { return b.m.recvs.cq.Park(again) }
func (b *both) Kicker() *func()             { return b.m.recvs.cq.Kicker() }
func (b *both) ReleasePark()                { b.m.recvs.cq.Depart() }

func (b *both) consume(n int) {
	for {
		b.ready = false
		for _, s := range []*sleeper{&b.m.sends, &b.m.recvs} {
			for armed := false; ; armed = true {
				b.m.r.Step("poll")
				if s.Look() {
					armed = false
				} else if armed {
					break
				}
				s.Arm()
			}
		}
		if b.m.sends.taken+b.m.recvs.taken >= n {
			return
		}
		b.cell.Wait(b, wait.Options{Parker: b})
	}
}

// TestOneConsumerOfTwoQueues: it parks for both together, and between two waits nobody watches the socket. Nothing
// that arrives then is overlooked.
func TestOneConsumerOfTwoQueues(t *testing.T) {
	sample(t, func(r *interleave.Run) {
		m := newPair(r)
		b := &both{m: m}
		m.notified = func() { b.ready = true; b.cell.Wake() }
		r.Go("consumer", func() { b.consume(2) })
		r.Go("peer", func() {
			m.w.arrive(m.message, false)
			r.Step("arrive")
			m.w.arrive(m.answer, false)
		})
		r.Check(m.check)
	})
}

// TestThePollBehindAnArrivalDoesNotRead: the consumer that was woken at the socket has read all that was there. Its next
// poll does not read once more, the one after it does.
func TestThePollBehindAnArrivalDoesNotRead(t *testing.T) {
	spared := 0
	sample(t, func(r *interleave.Run) {
		m := newPair(r)
		var woken bool
		var reads [2]int
		r.Go("receiver", func() {
			m.recvs.consume(1)
			woken = m.w.c.emptied.Load()
			for i := range reads {
				before := m.w.reads
				m.recvs.Look()
				reads[i] = m.w.reads - before
			}
		})
		r.Go("peer", func() { m.w.arrive(m.message, false) })
		r.Check(func() error {
			if m.recvs.taken == 1 && woken && reads != [2]int{0, 1} {
				return fmt.Errorf("polls behind the arrival have read %v times", reads)
			}
			if woken {
				spared++
			}
			return nil
		})
	})
	if spared == 0 {
		t.Error("in no run the consumer was woken at the socket")
	}
}
