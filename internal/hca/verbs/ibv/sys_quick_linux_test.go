//go:build amd64 || arm64

package ibv

import (
	"io"
	"runtime"
	"runtime/pprof"
	"sync"
	"testing"
)

// Collections run, the profiler and the scheduler interrupt threads, and stacks grow
// and move while frames are in C: every call still returns its result to its caller.
func TestFramesBesideTheRuntime(t *testing.T) {
	if err := pprof.StartCPUProfile(io.Discard); err != nil {
		t.Log("without the profiler: ", err)
	} else {
		defer pprof.StopCPUProfile()
	}
	abs := libc(t, "abs")
	src := make([]*Array[byte], 4)
	for i := range src {
		var err error
		if src[i], err = NewArray[byte](1 << 20); err != nil {
			t.Fatal(err)
		}
		defer src[i].Free()
	}
	var wg sync.WaitGroup
	for i, s := range src {
		wg.Go(func() {
			quick := &Frame{Ops: &Ops{pollCQ: abs}}
			long := frame(t, func(o *Ops) *uintptr { return &o.postSend }, "memcpy") // some 30 µs
			for n := range 10000 {
				long.PostSend(QP(s.Addr(0)), s.Addr(512<<10), 512<<10)
				if got := deep(n%64, func() int { return quick.PollCQ(CQ(uint32(-n-i)), 0, 0) }); got != n+i {
					t.Errorf("abs(%d) gave %d", -n-i, got)
					return
				}
				if n%16 == 0 {
					runtime.Gosched()
				}
			}
		})
	}
	over := make(chan struct{})
	go func() { wg.Wait(); close(over) }()
	for {
		select {
		case <-over:
			return
		default:
			runtime.GC()
		}
	}
}

// deep calls f with much on the stack.
func deep(n int, f func() int) int {
	var room [256]byte
	room[n] = byte(n)
	if n == 0 {
		return f()
	}
	return deep(n-1, f) + int(room[n]) - n
}
