package mem_test

import (
	"bytes"
	"math/rand/v2"
	"os"
	"sync"
	"testing"

	"github.com/godapl/godapl/internal/shm"
	"github.com/godapl/godapl/rdma/mem"
)

// mappings is how many this process has.
func mappings(t testing.TB) int {
	t.Helper()
	text, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		t.Fatal(err)
	}
	return bytes.Count(text, []byte("\n"))
}

// marked is a region with a mark in each of its pages.
type marked struct {
	r    *mem.Region
	b    []byte
	mark byte
}

func mark(t *testing.T, r *mem.Region, mark byte) marked {
	t.Helper()
	b := r.Bytes()
	for at := 0; at < len(b); at += mem.PageSize() {
		if b[at] != 0 || b[at+mem.PageSize()-1] != 0 {
			t.Fatal("a new region has something in it")
		}
		b[at] = mark
	}
	return marked{r, b, mark}
}

func (m marked) free(t *testing.T) {
	t.Helper()
	for at := 0; at < len(m.b); at += mem.PageSize() {
		if m.b[at] != m.mark {
			t.Fatalf("a region has the mark %d, want %d", m.b[at], m.mark)
		}
	}
	if err := m.r.Free(); err != nil {
		t.Fatal(err)
	}
	if m.b[0] != 0 {
		t.Fatal("late use finds data")
	}
}

// TestRegionsAreDisjoint allocates and frees at random, in two zones.
func TestRegionsAreDisjoint(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	a, _ := newDomain(t)
	b, _ := newDomain(t)
	var all []marked
	for n := range 20000 {
		if rng.IntN(100) < 52 {
			d, rights := a, mem.Local
			if n%2 == 0 {
				d = b
			}
			if n%16 < 2 {
				rights = mem.All
			}
			all = append(all, mark(t, alloc(t, d, 1+rng.IntN(40000), rights), byte(n%255+1)))
		} else if len(all) > 0 {
			i := rng.IntN(len(all))
			all[i].free(t)
			all[i] = all[len(all)-1]
			all = all[:len(all)-1]
		}
	}
	for _, m := range all {
		m.free(t)
	}
}

// TestManyRegionsFewMappings: neither what there is nor what was freed in any order takes a
// mapping for each.
func TestManyRegionsFewMappings(t *testing.T) {
	const n = 200000
	for _, rights := range []mem.Rights{mem.Local, mem.All} {
		d, _ := newDomain(t)
		before := mappings(t)
		all := make([]*mem.Region, n)
		for i := range all {
			all[i] = alloc(t, d, mem.PageSize(), rights)
		}
		there := mappings(t)
		rand.New(rand.NewPCG(1, 2)).Shuffle(n, func(i, j int) { all[i], all[j] = all[j], all[i] })
		for _, r := range all[:n/2] {
			if err := r.Free(); err != nil {
				t.Fatal(err)
			}
		}
		half := mappings(t)
		d.Close(false)
		t.Logf("%v: %d mappings before, %d with %d regions, %d with half of them, %d with none", rights, before, there, n, half, mappings(t))
		if most := shm.MostMappings() / 10; there > most || half > most {
			t.Errorf("%v: %d and %d mappings, want less than %d", rights, there, half, most)
		}
	}
}

// TestArenasGoWithTheirRegions: empty chunks are unmapped, whichever zone has freed the last
// region.
func TestArenasGoWithTheirRegions(t *testing.T) {
	const n = 50000
	before := shm.Mappings() - mem.Quarantined()
	a, _ := newDomain(t)
	b, _ := newDomain(t)
	all := make([]*mem.Region, n)
	for i := range all {
		all[i] = alloc(t, a, mem.PageSize(), mem.Local)
	}
	again, err := b.RegisterAgain(all[n/2], mem.Local)
	if err != nil {
		t.Fatal(err)
	}
	copy(again.Bytes(), "still")
	for _, r := range all {
		if err := r.Free(); err != nil {
			t.Fatal(err)
		}
	}
	if left := shm.Mappings() - mem.Quarantined() - before; left > 2 {
		t.Errorf("%d chunks for a region of one page", left)
	}
	a.Close(false)
	if left := shm.Mappings() - mem.Quarantined() - before; left != 1 || string(again.Bytes()[:5]) != "still" {
		t.Errorf("%d chunks for a region that another zone has, with %q", left, again.Bytes()[:5])
	}
	if err := again.Free(); err != nil {
		t.Fatal(err)
	}
	if left := shm.Mappings() - mem.Quarantined() - before; left != 0 {
		t.Errorf("%d chunks are left", left)
	}
}

// TestLateWriteIsNobodys: what is written to freed memory is not in the region that has
// the pages later.
func TestLateWriteIsNobodys(t *testing.T) {
	d, _ := newDomain(t)
	keep := alloc(t, d, mem.PageSize(), mem.Local)
	r := alloc(t, d, mem.PageSize(), mem.Local)
	late := r.Bytes()
	if err := r.Free(); err != nil {
		t.Fatal(err)
	}
	copy(late, "late")
	for n := range 10000 {
		next := alloc(t, d, mem.PageSize(), mem.Local)
		same := &next.Bytes()[0] == &late[0]
		if next.Bytes()[0] != 0 {
			t.Fatalf("region %d begins with %q", n, next.Bytes()[:4])
		}
		if err := next.Free(); err != nil {
			t.Fatal(err)
		}
		if same {
			if n < 1000 {
				t.Errorf("the pages served again after %d others", n)
			}
			if err := keep.Free(); err != nil {
				t.Fatal(err)
			}
			return
		}
	}
	t.Error("the pages never served again")
}

// TestZonesShareNoChunk: memory of two zones does not mix, in whatever order it is allocated.
func TestZonesShareNoChunk(t *testing.T) {
	a, _ := newDomain(t)
	b, _ := newDomain(t)
	var of [2][2]uintptr // first and last address
	for range 200 {
		for i, d := range []*mem.Domain{a, b} {
			at := address(alloc(t, d, mem.PageSize(), mem.Local).Bytes())
			if of[i][0] == 0 || at < of[i][0] {
				of[i][0] = at
			}
			of[i][1] = max(of[i][1], at)
		}
	}
	if of[0][0] < of[1][1] && of[1][0] < of[0][1] {
		t.Errorf("%#x and %#x", of[0], of[1])
	}
}

// TestAllocBesideFree has many goroutines at one arena.
func TestAllocBesideFree(t *testing.T) {
	d, _ := newDomain(t)
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			rng := rand.New(rand.NewPCG(3, uint64(g)))
			var all []*mem.Region
			for range 2000 {
				if len(all) < 20 || rng.IntN(2) == 0 {
					r, err := d.Alloc(1+rng.IntN(20000), mem.Local, mem.AllocConfig{})
					if err != nil || r.Bytes()[0] != 0 {
						t.Errorf("%v", err)
						return
					}
					r.Bytes()[0] = byte(g + 1)
					all = append(all, r)
				} else {
					i := rng.IntN(len(all))
					if r := all[i]; r.Bytes()[0] != byte(g+1) || r.Free() != nil {
						t.Errorf("another goroutine's region")
						return
					}
					all[i] = all[len(all)-1]
					all = all[:len(all)-1]
				}
			}
		})
	}
	wg.Wait()
}
