package peers_test

import (
	"context"
	"runtime"
	"testing"
	"time"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft"
	"github.com/godapl/godapl/internal/iwarp"
)

// Row 36: a message waits for a receive, for a bounded time.
func TestLateReceive(t *testing.T) {
	t.Parallel()
	s := newStation(t, hca.Options{ReceiveWait: 100 * time.Millisecond})
	for _, r := range roles {
		t.Run("too late/"+r.name, func(t *testing.T) {
			e, p := s.open(t, r, depths{4, 4})
			e.busy()
			p.write(send(1, "hello"))
			s.bystander(t)
			p.end().one(t, "1/2/0x02")
			e.over(hca.EventBroken)
		})
	}
	patient := newStation(t, hca.Options{ReceiveWait: time.Minute})
	for _, r := range roles {
		t.Run("in time/"+r.name, func(t *testing.T) {
			e, p := patient.open(t, r, depths{4, 4})
			x := &exchange{t, e, p}
			p.write(send(1, "hello"), send(2, "world"), readRequest(1, 1, 0, 0))
			p.send = 3
			patient.bystander(t)
			e.recv(8)
			e.received()
			patient.bystander(t)
			e.recv(8)
			e.received()
			p.want(iwarp.OpReadResponse)
			x.may(e.mem.recv, 0, 16)
			e.mem.holds(t, e.mem.recv.span(0, 5), "hello")
			e.mem.holds(t, e.mem.recv.span(8, 5), "world")
			x.alive()
		})
	}
}

// Waiting costs no processor time: neither for a receive, whatever the peer sends behind the message, nor for a
// peer that does not read. Not parallel, because it measures the process as a whole.
func TestWaitingCostsNothing(t *testing.T) {
	const window = 200 * time.Millisecond
	s := newStation(t, hca.Options{ReceiveWait: time.Minute})
	for name, behind := range map[string]func(x *exchange){
		"nothing":    func(*exchange) {},
		"FIN":        func(x *exchange) { x.p.fin() },
		"more":       func(x *exchange) { x.p.write(make([]byte, 1<<20)) },
		"not a read": func(x *exchange) { x.jam(); s.jammed(t, x.p) },
	} {
		t.Run(name, func(t *testing.T) {
			e, p := s.open(t, responder, depths{4, 4})
			x := &exchange{t, e, p}
			p.write(send(1, "hello"))
			behind(x)
			s.bystander(t)
			runtime.GC()
			// A spinning goroutine spins all the time; other noise passes.
			least, quiet := window, false
			for range 5 {
				before, from := processTime(t), soft.AllStats()
				ctx, cancel := context.WithTimeout(t.Context(), window)
				<-ctx.Done()
				cancel()
				least = min(least, processTime(t)-before)
				quiet = quiet || soft.AllStats() == from
				if quiet && least < window/8 {
					break
				}
			}
			if !quiet {
				t.Error("the adapter makes rounds all the time")
			}
			if least >= window/8 {
				t.Errorf("waiting for %v took %v of processor time at least", window, least)
			}
			e.close()
			e.event(hca.EventDisconnected)
		})
	}
}
