package fence_test

import (
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/godapl/godapl/internal/fence"
	"github.com/godapl/godapl/internal/fence/fencetest"
)

// apart is a word on a cache line of its own.
type apart struct {
	_    [64]byte
	word atomic.Uint64
	_    [64]byte
}

// oneSees counts the rounds in which neither side saw the other.
func oneSees(rounds uint64) (missed int) {
	var free, left apart
	var holder, other bool
	fencetest.Together(rounds, func(r uint64) {
		fence.StoreThenLook(&free.word, r)
		holder = left.word.Load() == r
	}, func(r uint64) {
		left.word.Store(r)
		other = fence.Other(func() bool { return free.word.Load() == r })
	}, func(uint64) {
		if !holder && !other {
			missed++
		}
	})
	return missed
}

func TestOneOfTheTwoSeesTheOther(t *testing.T) {
	const rounds = 100_000
	t.Run("fences of the holder's own", func(t *testing.T) {
		fence.Again()
		if missed := oneSees(rounds); missed > 0 {
			t.Fatalf("missed %d times in %d", missed, rounds)
		}
	})
	t.Run("fences of the kernel", func(t *testing.T) {
		if !fence.Begin() {
			t.Skip("the kernel makes none here")
		}
		if missed := oneSees(rounds); missed > 0 {
			t.Fatalf("missed %d times in %d", missed, rounds)
		}
	})
}

// TestTheKernelsFencesBeginInTheMiddle begins them while the two are at it.
func TestTheKernelsFencesBeginInTheMiddle(t *testing.T) {
	const rounds = 100_000
	if !fence.Again() {
		t.Skip("the kernel makes none here")
	}
	begun := make(chan struct{})
	go func() { defer close(begun); fence.Begin() }()
	missed := oneSees(rounds)
	<-begun
	if missed > 0 {
		t.Fatalf("missed %d times in %d", missed, rounds)
	}
}

// TestStoreRelease: a reader that sees the word sees what was stored before it.
func TestStoreRelease(t *testing.T) {
	const rounds = 1_000_000
	var data, word apart
	stale := 0
	done := make(chan struct{})
	go func() {
		defer close(done)
		for seen := uint64(0); seen != rounds; {
			seen = word.word.Load()
			if data.word.Load() < seen {
				stale++
			}
		}
	}()
	for r := uint64(1); r <= rounds; r++ {
		fence.StoreRelease(&data.word, r)
		fence.StoreRelease(&word.word, r)
		if r%4096 == 0 {
			runtime.Gosched()
		}
	}
	<-done
	if stale > 0 {
		t.Fatalf("%d of %d times, what was stored before was not there", stale, rounds)
	}
}

func BenchmarkStoreRelease(b *testing.B) {
	var w atomic.Uint64
	for b.Loop() {
		fence.StoreRelease(&w, 1)
	}
}

// BenchmarkLock is a lock taken and let go.
func BenchmarkLock(b *testing.B) {
	var w, asked atomic.Uint64
	fence.Begin()
	for b.Loop() {
		if !w.CompareAndSwap(0, 1) {
			b.Fatal("held")
		}
		fence.StoreThenLook(&w, 0)
		if asked.Load() != 0 {
			b.Fatal("asked")
		}
	}
}

// BenchmarkOther is a fence that the kernel makes.
func BenchmarkOther(b *testing.B) {
	fence.Begin()
	for b.Loop() {
		fence.Other(func() bool { return true })
	}
}
