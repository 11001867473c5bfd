package stream

import (
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/core"
	"github.com/godapl/godapl/internal/iwarp"
	"github.com/godapl/godapl/internal/wait/interleave"
)

// scribe is a wire that counts.
type scribe struct {
	deafWire
	r             *interleave.Run
	writes, bytes atomic.Int64
}

func (w *scribe) Write(list [][]byte) (int, error) {
	w.r.Step("write")
	n, err := w.deafWire.Write(list)
	w.writes.Add(1)
	w.bytes.Add(int64(n))
	return n, err
}

func (w *scribe) Armed() bool { return true }

// answering is a program that takes messages from the channel of one queue and answers on several connections.
type answering struct {
	r     *interleave.Run
	a     *core.Adapter
	cq    *core.CQ
	left  atomic.Int64 // messages in the channel
	conns []*core.QP
	wires []*scribe
	local hca.Segment
	posts atomic.Int64
}

func newAnswering(r *interleave.Run, messages, conns int) *answering {
	must := func(err error) {
		if err != nil {
			panic(err)
		}
	}
	m := &answering{r: r}
	m.left.Store(int64(messages))
	var path *Path
	m.a, path = newBare(hca.Options{})
	pd, err := m.a.NewPD()
	must(err)
	mr, err := pd.Register(hca.Memory{Bytes: make([]byte, 64)}, hca.AllAccess)
	must(err)
	m.local = hca.Segment{Addr: mr.Addr(), Len: 8, Key: mr.LKey()}
	cq, err := m.a.NewCQ(hca.CQConfig{Depth: 512, Backlog: func(bool) hca.Backlog {
		r.Step("backlog?")
		if m.left.Load() > 0 {
			return hca.BacklogSome
		}
		return hca.BacklogNone
	}})
	must(err)
	m.cq = cq.(*core.CQ)
	for range conns {
		p, err := m.a.NewQP(hca.QPConfig{PD: pd, SendCQ: cq, RecvCQ: cq, SendDepth: 64, RecvDepth: 1, SendSGE: core.MaxSGE})
		must(err)
		q, w := p.(*core.QP), &scribe{r: r}
		c := path.newConn(q, true)
		c.w, c.crc = w, true
		c.mulpdu.Store(longULPDU)
		c.ending.Store(true) // no goroutine closes the stream
		must(q.Open("test", nil))
		q.Establish(c)
		q.Release()
		c.start()
		m.conns, m.wires = append(m.conns, q), append(m.wires, w)
	}
	r.Finally(func() {
		for _, q := range m.conns {
			_ = q.Disconnect(false)
		}
		m.a.Shutdown(func() {})
	})
	return m
}

// take takes a message.
func (m *answering) take() {
	m.r.Step("take")
	m.left.Add(-1)
}

// answer posts on a connection.
func (m *answering) answer(conn int) {
	m.r.Step("post")
	if err := m.conns[conn].PostSend(hca.SendWR{Op: hca.OpSend, Local: m.local}); err == nil {
		m.posts.Add(1)
	}
}

// look is the program's look when it has taken all.
func (m *answering) look() {
	m.r.Step("look")
	m.cq.Push()
}

// answerSize is the size of an answer on the wire.
const answerSize = iwarp.LengthSize + iwarp.UntaggedHeaderSize + 8 + iwarp.CRCSize

// written returns an error unless all that was posted has been written. The watch has had no time.
func (m *answering) written() error {
	n := int64(0)
	for _, w := range m.wires {
		n += w.bytes.Load()
	}
	if want := m.posts.Load() * answerSize; n != want {
		return fmt.Errorf("%d bytes have been written, want %d", n, want)
	}
	return nil
}

// TestNothingStaysUnwritten: whichever goroutine takes the last message, what the others have posted is written by
// then, or with its post, or when it looks for more.
func TestNothingStaysUnwritten(t *testing.T) {
	for name, programs := range map[string]func(m *answering) []func(){
		"each answers on a connection of its own": func(m *answering) []func() {
			return []func(){
				func() { m.take(); m.answer(0) },
				func() { m.take(); m.answer(1) },
			}
		},
		"both answer on one": func(m *answering) []func() {
			return []func(){
				func() { m.take(); m.answer(0) },
				func() { m.take(); m.answer(0); m.answer(0) },
			}
		},
		"the last message has no answer": func(m *answering) []func() {
			return []func(){
				func() { m.take(); m.answer(0); m.look() },
				func() { m.take(); m.look() },
			}
		},
		"another posts besides": func(m *answering) []func() {
			return []func(){
				func() { m.take(); m.answer(0); m.take(); m.look() },
				func() { m.answer(1) },
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			sample(t, func(r *interleave.Run) {
				m := newAnswering(r, 2, 2)
				running := atomic.Int64{}
				var result error
				for i, f := range programs(m) {
					running.Add(1)
					r.Go(fmt.Sprint("program ", i), func() {
						f()
						if running.Add(-1) == 0 {
							result = m.written()
						}
					})
				}
				r.Check(func() error { return result })
			})
		})
	}
}

// TestAnEndMeetsABacklog: posts that wait when the connection ends are completed, each once; a graceful end writes
// them.
func TestAnEndMeetsABacklog(t *testing.T) {
	for _, graceful := range []bool{false, true} {
		sample(t, func(r *interleave.Run) {
			m := newAnswering(r, 3, 1)
			r.Go("program", func() { m.take(); m.answer(0); m.take(); m.answer(0) })
			r.Go("end", func() { _ = m.conns[0].Disconnect(graceful) })
			r.Check(func() error {
				m.left.Store(0)
				var wcs [8]hca.WC
				n, written := 0, int64(0)
				for k := 1; k > 0; n += k {
					k = m.cq.Poll(wcs[n:])
					for i := range wcs[n : n+k] {
						if wcs[n+i].Status == hca.StatusOK {
							written++
						}
					}
				}
				if int64(n) != m.posts.Load() {
					return fmt.Errorf("%d completions of %d posts", n, m.posts.Load())
				}
				if got := m.wires[0].bytes.Load(); got < written*answerSize {
					return fmt.Errorf("%d completions say that they were sent, but %d bytes were written", written, got)
				}
				return nil
			})
		})
	}
}

// once makes one run: with one goroutine there is one order.
func once(t *testing.T, build func(r *interleave.Run)) {
	t.Helper()
	if rep := interleave.Sample(t, 1, build); rep.Err != nil {
		t.Fatal(rep.Err)
	}
}

// TestABurstIsOneWrite: the answers to a burst of messages leave with one system call for each connection, and the
// answer to a message that comes alone does not wait.
func TestABurstIsOneWrite(t *testing.T) {
	once(t, func(r *interleave.Run) {
		m := newAnswering(r, 1, 2)
		r.Go("program", func() {
			check := func(when string, first, second int64) {
				if a, b := m.wires[0].writes.Load(), m.wires[1].writes.Load(); a != first || b != second {
					panic(fmt.Sprintf("%s: %d and %d writes, want %d and %d", when, a, b, first, second))
				}
			}
			m.take()
			m.answer(0)
			check("one message", 1, 0)
			m.left.Store(16)
			for i := range 16 {
				m.take()
				m.answer(i % 2)
				if i < 15 {
					check("within the burst", 1, 0)
				}
			}
			check("the burst", 2, 1)
			if err := m.written(); err != nil {
				panic(err)
			}
		})
	})
}

// TestABacklogThatNeverEnds: the peers get their answers also while more messages come than are answered.
func TestABacklogThatNeverEnds(t *testing.T) {
	once(t, func(r *interleave.Run) {
		m := newAnswering(r, 1, 8)
		r.Go("program", func() {
			for i := range 512 {
				m.answer(i / 32 % 8)
				if i%256 == 255 {
					if err := m.written(); err != nil {
						panic(fmt.Sprintf("after %d posts: %v", i+1, err))
					}
				}
			}
			n := int64(0)
			for _, w := range m.wires {
				n += w.writes.Load()
			}
			if n != 16 {
				panic(fmt.Sprintf("%d writes", n))
			}
		})
	})
}
