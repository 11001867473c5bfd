package perf

import (
	"runtime"
	"testing"
)

// fewAllocations is what the runtime may allocate for itself during a measurement.
const fewAllocations = 200

// manyMessages is so many that one allocation per message exceeds fewAllocations by far.
// Two sides that poll exchange fewer: on a busy machine each waits for the other's time slice.
func manyMessages(mode string) int64 {
	if mode == "poll" {
		return 400
	}
	return 2000
}

// TestAllocates counts the allocations of both sides: none per message, with any face.
func TestAllocates(t *testing.T) {
	if raceDetector {
		t.Skip("with the race detector, pools drop a part of what they keep")
	}
	paths := []string{"loop", "net"}
	if runtime.GOOS == "linux" {
		paths = append(paths, "shm") // with a second process
	}
	for _, path := range paths {
		for _, mode := range modes {
			t.Run(path+"/"+mode, func(t *testing.T) {
				a := opened(t, "-path "+path+" -op send -size 64 -mode "+mode)
				if err := a.tell("echo"); err != nil {
					t.Fatal(err)
				}
				n, h := manyMessages(mode), newHistogram()
				f := func() error { return a.latency(limit{n: n}, 1, h) }
				if err := f(); err != nil {
					t.Fatal(err)
				}
				used, err := using(a.peer, command{Do: "echo"}, f)
				if err != nil || used.Mallocs > fewAllocations {
					t.Errorf("%d allocations for %d messages and their answers, %v", used.Mallocs, n, err)
				}
			})
		}
	}
}

// TestCallsAllocate counts the allocations of clients and server: none per call, with any face.
func TestCallsAllocate(t *testing.T) {
	if raceDetector {
		t.Skip("with the race detector, pools drop a part of what they keep")
	}
	for _, mode := range facesOfQueues {
		t.Run(mode, func(t *testing.T) {
			c, end := calling(t, "-path net -op send -size 64 -connections 4 -depth 4 -mode "+mode)
			defer end()
			all := c.ours()
			n, h := manyMessages(mode), newHistogram()
			f := func() error {
				_, err := all.all(limit{n: n}, h)
				return err
			}
			if err := f(); err != nil {
				t.Fatal(err)
			}
			used, err := using(c.peer, command{Do: "echo"}, f)
			if err != nil || used.Mallocs > 2*fewAllocations { // the clients' goroutines are counted too
				t.Errorf("%d allocations for %d calls, %v", used.Mallocs, n, err)
			}
		})
	}
}
