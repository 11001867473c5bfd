package rdma_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/mem"
)

// procLines counts the mappings of this process.
func procLines(t *testing.T) int {
	t.Helper()
	text, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		t.Fatal(err)
	}
	return bytes.Count(text, []byte("\n"))
}

// resident is how much memory this process has, in KiB.
func resident(t *testing.T) int {
	t.Helper()
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	_, value, _ := strings.Cut(string(text), "VmRSS:")
	var kib int
	if _, err := fmt.Sscan(value, &kib); err != nil {
		t.Fatal(err)
	}
	return kib
}

// available is how much memory the system can still give, in KiB, or a negative number where it
// does not say.
func available() int {
	text, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return -1
	}
	_, value, _ := strings.Cut(string(text), "MemAvailable:")
	var kib int
	if _, err := fmt.Sscan(value, &kib); err != nil {
		return -1
	}
	return kib
}

// TestManySmallAllocs: 200 000 regions of a page, half of them freed in random order, take
// less than a tenth of the mappings that a process may have. It prints what they cost.
func TestManySmallAllocs(t *testing.T) {
	const n = 200000
	if kib := available(); kib >= 0 && kib < 2<<20 {
		t.Skipf("the regions and their books take more than a GiB, and %d MiB are available", kib>>10)
	}
	text, err := os.ReadFile("/proc/sys/vm/max_map_count")
	if err != nil {
		t.Skip("the system does not say how many mappings there may be: ", err)
	}
	most, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	for _, rights := range []mem.Rights{mem.Local, mem.All} {
		a, err := rdma.Open(t.Context(), "soft", rdma.OpenConfig{})
		if err != nil {
			t.Fatal(err)
		}
		z, err := a.NewZone()
		if err != nil {
			t.Fatal(err)
		}
		before := resident(t)
		all := make([]*mem.Region, n)
		begin := time.Now()
		for i := range all {
			if all[i], err = z.Alloc(mem.PageSize(), rights); err != nil {
				t.Fatal(err)
			}
		}
		alloc, there, books := time.Since(begin)/n, procLines(t), resident(t)-before
		for _, r := range all {
			r.Bytes()[0] = 1
		}
		full := resident(t) - before
		rand.Shuffle(n, func(i, j int) { all[i], all[j] = all[j], all[i] })
		begin = time.Now()
		for _, r := range all[:n/2] {
			if err := r.Free(); err != nil {
				t.Fatal(err)
			}
		}
		free, half := time.Since(begin)/(n/2), procLines(t)
		t.Logf("%d regions of a page, %v: %v each to allocate, %v to free; %d mappings, %d with half of them; %d MiB of books, %d MiB in use, %d MiB with half of them",
			n, rights, alloc, free, there, half, books>>10, full>>10, (resident(t)-before)>>10)
		if there > most/10 || half > most/10 {
			t.Errorf("%d and %d mappings of %d", there, half, most)
		}
		if err := a.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
