package flight

import (
	"context"
	"math"
	"reflect"
	"testing"
	"testing/synctest"
	"time"

	"github.com/godapl/godapl/rdma/status"
)

// TestLastEvents: a half keeps the last 64 events, in order and whole.
func TestLastEvents(t *testing.T) {
	var h Half
	if got := h.Events(); len(got) != 0 {
		t.Errorf("a new half has %v", got)
	}
	for n := range uint64(3*Size + 5) {
		if n%7 == 0 {
			h.Note(nil, status.FlightStall)
		} else {
			h.Completed(nil, status.OpWrite, status.StatusFlushed, ^n, n)
		}
		got := h.Events()
		if want := int(min(n+1, Size)); len(got) != want {
			t.Fatalf("%d events after %d, want %d", len(got), n+1, want)
		}
		for i, e := range got {
			at := n + 1 - uint64(len(got)-i)
			want := status.FlightEvent{Time: e.Time, Kind: status.FlightCompleted, Op: status.OpWrite, Status: status.StatusFlushed, Cookie: ^at, Length: at}
			if at%7 == 0 {
				want = status.FlightEvent{Time: e.Time, Kind: status.FlightStall}
			}
			if e != want {
				t.Fatalf("after %d events: number %d is %v, want %v", n+1, at, e, want)
			}
		}
	}
}

// TestLongLengths: a length that does not fit is the largest number that does.
func TestLongLengths(t *testing.T) {
	var h Half
	h.Completed(nil, status.OpRead, status.StatusOK, 1, math.MaxUint32+5)
	if got := h.Events()[0].Length; got != math.MaxUint32 {
		t.Error(got)
	}
}

// TestSize: a recorder takes less than 4 KiB, with room for what package rdma adds.
func TestSize(t *testing.T) {
	if n := reflect.TypeFor[Recorder]().Size(); n > 3500 {
		t.Errorf("a recorder takes %d bytes", n)
	}
}

// TestClock: events between two ticks have the time of the first, and later ones another.
func TestClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		var c Clock
		done := make(chan struct{})
		go func() { defer close(done); c.Run(ctx) }()
		defer func() { cancel(); <-done }()
		synctest.Wait()
		var h Half
		begin := time.Now()
		pause := func(d time.Duration) { <-time.After(d); synctest.Wait() }
		h.Note(&c, status.FlightStall) // 0
		pause(Tick / 2)
		h.Note(&c, status.FlightStall) // in the same tick
		h.Completed(nil, status.OpSend, status.StatusFlushed, 0, 0)
		h.Note(&c, status.FlightStall)
		pause(Tick)
		h.Note(&c, status.FlightStall)
		for i, want := range []time.Duration{0, 0, Tick / 2, Tick / 2, Tick * 3 / 2} {
			if got := h.Events()[i].Time.Sub(begin); got != want {
				t.Errorf("event %d is at %v, want %v", i, got, want)
			}
		}
	})
}

// BenchmarkCompleted is what an operation pays when a recorder is on.
func BenchmarkCompleted(b *testing.B) {
	var c Clock
	var h Half
	for i := 0; b.Loop(); i++ {
		h.Completed(&c, status.OpWrite, status.StatusOK, uint64(i), 64)
	}
}
