package stream

import (
	"fmt"
	"testing"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/iwarp"
	"github.com/godapl/godapl/internal/wait"
	"github.com/godapl/godapl/internal/wait/interleave"
)

// stayer is a consumer that stays in its park, as the goroutine of a channel does. With pause it leaves the connection
// for a moment with each completion, as that does while the channel is full.
type stayer struct {
	s     *sleeper
	p     *stayPark
	n     int
	pause bool
}

// stayPark knows whether its owner is there.
type stayPark struct {
	aloneAt
	on bool
}

func (p *stayPark) AcquirePark() bool { p.on = p.aloneAt.AcquirePark(); return p.on }
func (p *stayPark) ReleasePark()      { p.on = false; p.aloneAt.ReleasePark() }

func (w *stayer) Look() bool {
	var wcs [4]hca.WC
	for {
		n := w.s.cq.Poll(wcs[:])
		w.s.taken += n
		if n > 0 && w.pause && w.p.on {
			w.s.cq.Pause(true)
			w.s.r.Step("full")
			w.s.cq.Pause(false)
		}
		if n < len(wcs) {
			return w.s.taken >= w.n
		}
	}
}

func (w *stayer) Arm() { w.s.Arm() }

// stay waits for n completions in one wait.
func (s *sleeper) stay(n int, pause bool) {
	w := &stayer{s: s, p: &stayPark{aloneAt: aloneAt{s.cq}}, n: n, pause: pause}
	s.cell.Wait(w, wait.Options{Stay: true, Parker: w.p})
	s.r.Step("done")
}

// TestTheEndFindsAConsumerThatStays: a message, an answer and the end of the stream come apart or together. The
// consumer that stays parked gets the message and the receive that the end flushes.
func TestTheEndFindsAConsumerThatStays(t *testing.T) {
	orders := map[string]func(m *pair, r *interleave.Run){
		"apart": func(m *pair, r *interleave.Run) {
			m.w.arrive(m.message, false)
			r.Step("arrive")
			m.w.arrive(m.answer, false)
			r.Step("arrive")
			m.w.arrive(nil, true)
		},
		"the message with the end": func(m *pair, r *interleave.Run) {
			m.w.arrive(m.answer, false)
			r.Step("arrive")
			m.w.arrive(m.message, true)
		},
		"all at once": func(m *pair, _ *interleave.Run) {
			m.w.arrive(append(m.answer[:len(m.answer):len(m.answer)], m.message...), true)
		},
		"the end alone": func(m *pair, r *interleave.Run) {
			m.w.arrive(append(m.answer[:len(m.answer):len(m.answer)], m.message...), false)
			r.Step("arrive")
			m.w.arrive(nil, true)
		},
	}
	for how, arrive := range orders {
		for _, pause := range []bool{false, true} {
			for _, both := range []bool{false, true} { // both consumers stay
				t.Run(fmt.Sprintf("%s/pause %v/both %v", how, pause, both), func(t *testing.T) {
					sample(t, func(r *interleave.Run) {
						m := newPair(r)
						if err := m.q.PostRecv(hca.RecvWR{}); err != nil { // which the end flushes
							panic(err)
						}
						r.Go("receiver", func() { m.recvs.stay(2, pause) })
						r.Go("requester", func() {
							if both {
								m.sends.stay(1, pause)
							} else {
								m.sends.consume(1)
							}
						})
						r.Go("peer", func() { arrive(m, r) })
						r.Check(func() error {
							if m.sends.taken != 1 || m.recvs.taken != 2 {
								return fmt.Errorf("%d answers and %d messages were taken", m.sends.taken, m.recvs.taken)
							}
							return nil
						})
					})
				})
			}
		}
	}
}

// nothing is a frame that completes nothing.
var nothing = iwarp.AppendTagged(nil, iwarp.TaggedHeader{Op: iwarp.OpWrite, Last: true, STag: 5}, nil, true)

// TestTheEndBehindMoreThanOneRun: more bytes than one run handles arrive together with the end of the stream, while a
// consumer is parked. The engine reads the rest, and its last read must not be one that does not find the end.
func TestTheEndBehindMoreThanOneRun(t *testing.T) {
	var much []byte
	for len(much) < rxBuffer+1000 {
		much = append(much, nothing...)
	}
	rep := interleave.Sample(t, 3, func(r *interleave.Run) {
		m := newPair(r)
		r.Go("requester", func() { m.sends.consume(1) })
		r.Go("receiver", func() { m.recvs.consume(1) })
		r.Go("peer", func() { m.w.arrive(much, true) })
		r.Check(m.check)
	})
	if rep.Err != nil {
		t.Fatalf("%v: %v", rep, rep.Err)
	}
}

// TestTheEndWithBytesForNobody: bytes that complete nothing arrive together with the end, while one consumer is parked
// and the other one polls, and is inside the gate.
func TestTheEndWithBytesForNobody(t *testing.T) {
	n := 3000
	if testing.Short() {
		n = 1000
	}
	rep := interleave.Sample(t, n, func(r *interleave.Run) {
		m := newPair(r)
		m.sends.polls = 3
		r.Go("requester", func() { m.sends.consume(1) })
		r.Go("receiver", func() { m.recvs.consume(1) })
		r.Go("peer", func() { m.w.arrive(nothing, true) })
		r.Check(m.check)
	})
	if rep.Err != nil {
		t.Fatalf("%v: %v", rep, rep.Err)
	}
}
