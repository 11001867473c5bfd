package shm_test

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/godapl/godapl/internal/shm"
)

// lengths returns lengths around every threshold of the copy, and some at random.
func lengths() []int {
	list := []int{0, 1, 2, 3, 5, 7, 8, 9}
	for n := 16; n <= 2*shm.PieceSize; n *= 2 {
		list = append(list, n-1, n, n+1)
	}
	rng := rand.New(rand.NewPCG(5, 6))
	for range 100 {
		list = append(list, rng.IntN(2*shm.PieceSize))
	}
	return list
}

// TestCopyMovesJustThat compares with copy at many alignments, and checks the bytes
// around the target.
func TestCopyMovesJustThat(t *testing.T) {
	src := make([]byte, 2*shm.PieceSize+64)
	for i := range src {
		src[i] = byte(rand.Uint32()) | 1
	}
	dst, want := make([]byte, len(src)+128), make([]byte, len(src)+128)
	rng := rand.New(rand.NewPCG(7, 8))
	for name, f := range map[string]func(dst, src []byte) int{
		"Copy":     shm.Copy,
		"CopyLast": shm.CopyLast,
		"Move":     shm.Move,
		"TryCopy": func(dst, src []byte) int {
			n, err := shm.TryCopy(dst, src)
			must(t, err)
			return n
		},
	} {
		limit := shm.PieceSize
		if name == "Move" {
			limit = math.MaxInt
		}
		for _, n := range lengths() {
			from, to := rng.IntN(64), rng.IntN(64)
			clear(dst)
			clear(want)
			got := f(dst[to:to+n], src[from:from+n])
			if got != min(n, limit) {
				t.Fatalf("%s: %d of %d bytes", name, got, n)
			}
			copy(want[to:to+got], src[from:])
			if !bytes.Equal(dst, want) {
				t.Fatalf("%s of %d bytes from %d to %d differs", name, n, from, to)
			}
		}
		if n := f(dst[:10], src[:5]); n != 5 {
			t.Errorf("%s: %d bytes of a source of 5", name, n)
		}
		if n := f(dst[:5], src[:10]); n != 5 {
			t.Errorf("%s: %d bytes to 5", name, n)
		}
		if n := f(nil, src); n != 0 {
			t.Errorf("%s: %d bytes to nowhere", name, n)
		}
	}
}

// TestCopyOverlaps: overlapping copies work in both directions, as with copy. They
// occur when a program writes to its own memory through a peer's mapping.
func TestCopyOverlaps(t *testing.T) {
	const n = 8000
	for _, shift := range []int{1, 8, 63, 64, 100, 4000, n - 1} {
		for _, up := range []bool{true, false} {
			got, want := make([]byte, 2*n), make([]byte, 2*n)
			for i := range got {
				got[i] = byte(i * 7)
				want[i] = byte(i * 7)
			}
			to, from := shift, 0
			if !up {
				to, from = 0, shift
			}
			shm.Copy(got[to:to+n], got[from:from+n])
			copy(want[to:to+n], want[from:from+n])
			if !bytes.Equal(got, want) {
				t.Errorf("moved by %d, upwards %v", shift, up)
			}
		}
	}
}

func TestCopyAllocatesNothing(t *testing.T) {
	a, b := make([]byte, 5000), make([]byte, 5000)
	if n := testing.AllocsPerRun(100, func() {
		shm.Copy(a, b)
		shm.CopyLast(b, a)
		shm.TryCopy(a, b)
		shm.StoreByte(&a[0], 1)
		shm.Pause()
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// BenchmarkCopy justifies the thresholds: both methods in turn, within the first-level
// cache and beyond it.
func BenchmarkCopy(b *testing.B) {
	const buffers = 16
	for _, kib := range []int{1, 2, 4, 8, 12, 16, 20, 24, 32, 48, 64, 128, 256, 512, 1023, 1024} {
		n := kib << 10
		for _, many := range []int{1, buffers} {
			src, dst := make([][]byte, many), make([][]byte, many)
			for i := range many {
				src[i], dst[i] = aligned(n), aligned(n)
			}
			for _, way := range []struct {
				name string
				f    func(dst, src []byte)
			}{
				{"copy", func(dst, src []byte) { copy(dst, src) }},
				{"string", shm.MoveString},
				{"Move", func(dst, src []byte) { shm.Move(dst, src) }},
			} {
				b.Run(fmt.Sprintf("%dKiB/buffers=%d/%s", kib, many, way.name), func(b *testing.B) {
					b.SetBytes(int64(n))
					for i := 0; b.Loop(); i++ {
						way.f(dst[i%many], src[i%many])
					}
				})
			}
		}
	}
}
