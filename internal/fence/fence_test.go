package fence_test

import (
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/godapl/godapl/internal/fence"
)

// apart is a word on a cache line of its own.
type apart struct {
	_    [64]byte
	word atomic.Uint64
	_    [64]byte
}

// race runs a and b at the same moment, in so many rounds, with check behind each.
func race(rounds uint64, a, b func(round uint64), check func(round uint64)) {
	var begun, ended atomic.Uint64
	wait := func(word *atomic.Uint64, n uint64) {
		for i := 1; word.Load() != n; i++ {
			if i%1024 == 0 {
				runtime.Gosched()
			}
		}
	}
	go func() {
		for r := uint64(1); r <= rounds; r++ {
			wait(&begun, r)
			b(r)
			ended.Store(r)
		}
	}()
	for r := uint64(1); r <= rounds; r++ {
		begun.Store(r)
		for i := uint64(0); i < r%64; i++ {
			begun.Load() // the other one has some way to go
		}
		a(r)
		wait(&ended, r)
		check(r)
	}
}

// oneSees counts the rounds in which neither side saw the other.
func oneSees(rounds uint64) (missed int) {
	var free, left apart
	var holder, other bool
	race(rounds, func(r uint64) {
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

// TestStoreRelease: who sees the word sees what was stored before.
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
