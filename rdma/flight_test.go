package rdma_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/event"
)

// onEveryRecorder is onEveryPath with recorders, over shared memory, too.
func onEveryRecorder(t *testing.T, f func(t *testing.T, name string)) {
	t.Setenv("GODAPL_FLIGHT", "1")
	onEveryPath(t, f)
	if runtime.GOOS == "linux" && soft(paths[0]) {
		t.Run("soft-shm", func(t *testing.T) { f(t, "soft-shm") })
	}
}

// of returns the events of one kind and operation.
func of(events rdma.Flight, kind rdma.FlightKind, op rdma.Op) rdma.Flight {
	return slices.DeleteFunc(slices.Clone(events), func(e rdma.FlightEvent) bool { return e.Kind != kind || e.Op != op })
}

// TestFlight: both sides record what happened, in order, also when the connection has ended.
func TestFlight(t *testing.T) {
	onEveryRecorder(t, func(t *testing.T, name string) {
		x, y := connect(t, name)
		const n = 5
		for i := range n {
			if err := y.conn.PostRecv(rdma.Recv{Into: y.mem.Slice(0, 64), Cookie: uint64(100 + i)}); err != nil {
				t.Fatal(err)
			}
			if err := x.conn.PostSend(rdma.Send{From: x.mem.Slice(0, 8+i), Cookie: uint64(200 + i)}); err != nil {
				t.Fatal(err)
			}
			next(t, y.conn.RecvCompletions())
			next(t, x.conn.SendCompletions())
		}
		if err := y.conn.PostRecv(rdma.Recv{Into: y.mem.Slice(0, 64), Cookie: 300}); err != nil {
			t.Fatal(err)
		}
		check := func(side string, events rdma.Flight, begin rdma.FlightKind, op rdma.Op, cookie uint64) {
			t.Helper()
			if len(events) < 2+n || events[0].Kind != begin || events[1].Kind != rdma.FlightEstablished {
				t.Fatalf("%s begins with\n%v", side, events)
			}
			done := of(events, rdma.FlightCompleted, op)
			if len(done) < n {
				t.Fatalf("%s has %d of %d operations:\n%v", side, len(done), n, events)
			}
			for i, e := range done[:n] {
				if e.Cookie != cookie+uint64(i) || e.Length != uint64(8+i) || e.Status != rdma.StatusOK || e.Time.Before(events[1].Time) && i > 0 && e.Time.Before(done[i-1].Time) {
					t.Errorf("%s: operation %d is %v", side, i, e)
				}
			}
		}
		check("the sender", x.conn.Flight(), rdma.FlightConnecting, rdma.OpSend, 200)
		check("the receiver", y.conn.Flight(), rdma.FlightAccepting, rdma.OpRecv, 100)
		if err := x.conn.Shutdown(within(t)); err != nil {
			t.Fatal(err)
		}
		<-y.conn.Context().Done()
		after := y.conn.Flight()
		check("the receiver at the end", after, rdma.FlightAccepting, rdma.OpRecv, 100)
		last := of(after, rdma.FlightCompleted, rdma.OpRecv)
		if e := last[len(last)-1]; e.Cookie != 300 || e.Status != rdma.StatusFlushed || len(of(after, rdma.FlightEnded, 0)) != 1 {
			t.Errorf("the end is\n%v", after)
		}
		if len(of(x.conn.Flight(), rdma.FlightShutdown, 0)) != 1 {
			t.Errorf("the sender has not recorded its shutdown:\n%v", x.conn.Flight())
		}
	})
}

// TestFlightOfStuckConnection: a request that does not complete is at the end, and the peer has recorded what lacks.
func TestFlightOfStuckConnection(t *testing.T) {
	onEveryRecorder(t, func(t *testing.T, name string) {
		unwaited(t, name)
		if !soft(name) {
			t.Skip("a device alone knows its requests")
		}
		patient := func() *side {
			a, err := rdma.Open(within(t), name, rdma.OpenConfig{ReceiveWait: time.Hour})
			must(t, err)
			t.Cleanup(func() { must(t, a.Close()) })
			return sideOf(t, a)
		}
		x, y := patient(), patient()
		join(t, x, y, rdma.EndpointConfig{Zone: x.zone}, rdma.EndpointConfig{Zone: y.zone})
		if err := x.conn.PostSend(rdma.Send{From: x.mem.Slice(0, 16), Cookie: 7}); err != nil {
			t.Fatal(err)
		}
		for y.conn.Stats().ReceiveWaits == 0 {
			runtime.Gosched()
		}
		if got := y.conn.Flight(); len(of(got, rdma.FlightReceiveMissing, 0)) != 1 {
			t.Errorf("the receiver has\n%v", got)
		}
		if got := x.conn.Flight(); x.conn.Acked() { // else the transport has taken the bytes
			if e := got[len(got)-1]; e.Kind != rdma.FlightOutstanding || e.Op != rdma.OpSend || e.Cookie != 7 || e.Length != 16 {
				t.Errorf("the sender has\n%v", got)
			}
		}
		must(t, y.conn.Close())
		if got := y.conn.Flight(); len(of(got, rdma.FlightReceiveFound, 0)) != 0 {
			t.Errorf("the receiver says that the message has a receive:\n%v", got)
		}
	})
}

// TestFlightOfBrokenConnection: the error has the events, with the failure among them, and %+v prints them.
func TestFlightOfBrokenConnection(t *testing.T) {
	onEveryRecorder(t, func(t *testing.T, name string) {
		x, y := connect(t, name)
		to := y.mem.Slice(0, 64).Remote()
		to.Key++ // no such key
		x.conn.PostWrite(rdma.Write{From: x.mem.Slice(0, 64), To: to, Cookie: 9})
		<-x.conn.Context().Done()
		<-y.conn.Context().Done()
		for side, c := range map[string]*rdma.Conn{"writer": x.conn, "target": y.conn} {
			cause := context.Cause(c.Context())
			var e *rdma.Error
			if !errors.As(cause, &e) || e.Code != rdma.ErrBroken {
				// siw may not tell its own side either.
				if side == "writer" && !strings.HasPrefix(name, "siw") {
					t.Errorf("%s: %v", side, cause)
				}
				continue
			}
			if len(of(e.Flight, rdma.FlightBroken, 0)) != 1 || len(of(e.Flight, rdma.FlightEstablished, 0)) != 1 {
				t.Errorf("%s:\n%v", side, e.Flight)
			}
			if text := fmt.Sprintf("%+v", cause); !strings.Contains(text, "established\n") || strings.Contains(cause.Error(), "established\n") {
				t.Errorf("%s:\n%s", side, text)
			}
		}
		done := of(x.conn.Flight(), rdma.FlightCompleted, rdma.OpWrite)
		if len(done) != 1 || done[0].Cookie != 9 || x.conn.Acked() && done[0].Status == rdma.StatusOK {
			t.Errorf("the writer has\n%v", x.conn.Flight())
		}
	})
}

// TestFlightOfErrorIsSmall: what the error of a broken connection keeps, also of one that did much and has requests
// outstanding, is at most 4 KiB.
func TestFlightOfErrorIsSmall(t *testing.T) {
	t.Setenv("GODAPL_FLIGHT", "1")
	x, y := connect(t, "soft-tcp")
	for range 100 {
		for _, s := range []*side{x, y} {
			must(t, s.conn.PostRecv(rdma.Recv{Into: s.mem.Slice(0, 64)}))
		}
		must(t, x.conn.Send(within(t), x.mem.Slice(0, 8)))
		must(t, y.conn.Send(within(t), y.mem.Slice(0, 8)))
		next(t, y.conn.RecvCompletions())
		next(t, x.conn.RecvCompletions())
	}
	to := y.mem.Slice(0, 64).Remote()
	to.Key++
	must(t, x.conn.PostWrite(rdma.Write{From: x.mem.Slice(0, 64), To: to}))
	<-x.conn.Context().Done()
	<-y.conn.Context().Done()
	for _, s := range []*side{x, y} {
		var e *rdma.Error
		if cause := context.Cause(s.conn.Context()); !errors.As(cause, &e) || len(e.Flight) < 64 {
			t.Fatalf("%+v", cause)
		}
		if bytes := cap(e.Flight) * int(reflect.TypeFor[rdma.FlightEvent]().Size()); bytes > 4096 {
			t.Errorf("the error keeps %d bytes", bytes)
		}
	}
}

// TestFlightWhilePosting reads the events while others write them; the race detector looks on.
func TestFlightWhilePosting(t *testing.T) {
	onEveryRecorder(t, func(t *testing.T, name string) {
		x, y := connect(t, name)
		const n = 300
		var work sync.WaitGroup
		defer work.Wait()
		over := make(chan struct{})
		for _, c := range []*rdma.Conn{x.conn, y.conn} {
			work.Go(func() {
				for {
					for range c.Flight() {
					}
					select {
					case <-over:
						return
					default:
						runtime.Gosched()
					}
				}
			})
		}
		defer close(over)
		for range n {
			if err := y.conn.PostRecv(rdma.Recv{Into: y.mem.Slice(0, 64)}); err != nil {
				t.Fatal(err)
			}
			if err := x.conn.Send(within(t), x.mem.Slice(0, 64)); err != nil {
				t.Fatal(err)
			}
			next(t, y.conn.RecvCompletions())
		}
		if got := x.conn.Flight(); len(of(got, rdma.FlightCompleted, rdma.OpSend)) < 60 || len(got) > 64+16 {
			t.Errorf("%d events, of which %d sends", len(got), len(of(got, rdma.FlightCompleted, rdma.OpSend)))
		}
	})
}

// TestFlightOff: nothing is recorded unless it is asked for, and nonsense in the environment is refused.
func TestFlightOff(t *testing.T) {
	t.Setenv("GODAPL_FLIGHT", "")
	x, y := connect(t, "soft-loop")
	x.conn.Abort()
	<-y.conn.Context().Done()
	if x.conn.Flight() != nil || y.conn.Flight() != nil {
		t.Errorf("%v\n%v", x.conn.Flight(), y.conn.Flight())
	}
	t.Setenv("GODAPL_FLIGHT", "sometimes")
	if a, err := rdma.Open(t.Context(), "soft-loop", rdma.OpenConfig{}); !errors.Is(err, rdma.ErrInvalid) || !strings.Contains(err.Error(), "GODAPL_FLIGHT") {
		t.Error(a, err)
	}
	a, err := rdma.Open(t.Context(), "soft-loop", rdma.OpenConfig{FlightRecorder: true})
	if err != nil {
		t.Fatal("the program's own choice does not read the environment:", err)
	}
	a.Close()
}

// next takes the next completion, which must be a success.
func next(t *testing.T, d *event.Dispatcher[rdma.Completion]) {
	t.Helper()
	if c, _, err := d.Wait(within(t), 1); err != nil || c.Err() != nil {
		t.Fatal(err, c.Err())
	}
}
