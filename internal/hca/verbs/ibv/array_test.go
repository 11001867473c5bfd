package ibv_test

import (
	"errors"
	"math"
	"slices"
	"sync"
	"testing"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/verbs/ibv"
)

func array[T any](t testing.TB, n int) *ibv.Array[T] {
	t.Helper()
	a, err := ibv.NewArray[T](n)
	if errors.Is(err, hca.Unsupported) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(a.Free)
	return a
}

func TestArrayEntries(t *testing.T) {
	for _, n := range []int{0, 1, 3, 64, 1000, 100000} {
		a := array[ibv.WC](t, n)
		if len(a.S) != n || cap(a.S) != n {
			t.Fatalf("%d entries asked for, %d (of %d) there", n, len(a.S), cap(a.S))
		}
		for i := range a.S {
			if a.S[i] != (ibv.WC{}) {
				t.Fatalf("entry %d of %d is not zero", i, n)
			}
			a.S[i].ID = uint64(i)
			if got := a.Addr(i) - a.Addr(0); got != uintptr(i)*48 {
				t.Fatalf("entry %d is %d bytes from the first", i, got)
			}
		}
		if n > 0 && a.Addr(0)%64 != 0 {
			t.Errorf("%d entries begin at %#x, inside a cache line", n, a.Addr(0))
		}
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("entry %d of %d has an address", n, n)
				}
			}()
			a.Addr(n)
		}()
	}
}

// Memory that was used before comes back zeroed, and a second Free gives
// nothing to two owners.
func TestArrayReuse(t *testing.T) {
	for _, n := range []int{1, 63, 64, 65, 4096, 32768, 32769, 1 << 20} {
		a := array[byte](t, n)
		for i := range a.S {
			a.S[i] = 0xff
		}
		a.Free()
		a.Free()
		if a.S != nil {
			t.Errorf("%d bytes can be reached after Free", n)
		}
		b, c := array[byte](t, n), array[byte](t, n)
		for i := range b.S {
			if b.S[i]|c.S[i] != 0 {
				t.Fatalf("byte %d of %d is not zero", i, n)
			}
		}
		if b.Addr(0) == c.Addr(0) {
			t.Fatalf("two arrays of %d bytes at the same address", n)
		}
		for i := range b.S {
			b.S[i] = 1
		}
		if slices.Max(c.S) != 0 {
			t.Fatalf("two arrays of %d bytes share memory", n)
		}
	}
	var none *ibv.Array[byte]
	none.Free()
}

// Live arrays never overlap, also with concurrent allocation and freeing.
func TestArrayConcurrent(t *testing.T) {
	array[byte](t, 1)
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			var live []*ibv.Array[uint64]
			mark := uint64(g + 1)
			for i := range 400 {
				a, err := ibv.NewArray[uint64](1 + (i*37+g)%5000)
				if err != nil {
					t.Error(err)
					return
				}
				for k := range a.S {
					if a.S[k] != 0 {
						t.Errorf("a new array holds %d", a.S[k])
						return
					}
					a.S[k] = mark
				}
				if live = append(live, a); len(live) > 8 {
					for _, v := range live[0].S {
						if v != mark {
							t.Errorf("array of %d overwritten by %d", mark, v)
							return
						}
					}
					live[0].Free()
					live = live[1:]
				}
			}
			for _, a := range live {
				a.Free()
			}
		})
	}
	wg.Wait()
}

func TestArrayRefuses(t *testing.T) {
	for _, n := range []int{-1, math.MaxInt / 100} {
		if _, err := ibv.NewArray[ibv.SendWR](n); !errors.Is(err, hca.Invalid) {
			t.Errorf("%d entries: %v", n, err)
		}
	}
}
