package progress

import (
	"testing"
	"testing/synctest"
	"time"
)

// kept posts n times, with a pause after each, and returns the number of the first post that is not kept back; 0: all
// are. It also returns how many read the clock.
func (k *KeptBack) kept(n int, pause time.Duration) (full, readings int) {
	k.Reset()
	for i := 1; i <= n; i++ {
		reads := i == 1 || k.next.Load() <= uint32(i)
		if k.Full() && full == 0 {
			full = i
		}
		if reads {
			readings++
		}
		<-time.After(pause)
	}
	return full, readings
}

func TestKeptBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var k KeptBack
		check := func(what string, n int, pause time.Duration, wantFull, mostReadings int) {
			t.Helper()
			if full, readings := k.kept(n, pause); full != wantFull || readings > mostReadings {
				t.Errorf("%s: post %d was not kept back, want %d; %d posts read the clock, want at most %d", what, full, wantFull, readings, mostReadings)
			}
		}
		check("a slow program", 8, 200*time.Microsecond, 2, 8)
		check("many posts", 300, 1, 256, 42)
		check("a fast program", 64, 1, 0, 9)
		check("small batches of it", 8, 1, 0, 2)
		check("it becomes slow", 64, 200*time.Microsecond, 5, 64)
		check("and stays it", 8, 200*time.Microsecond, 2, 8)
		check("a steady pace", 200, 2*time.Microsecond, 56, 28)
		for range 4 {
			k.kept(2, 1)
		}
		for range 3 {
			k.kept(2, 200*time.Microsecond)
		}
		check("slow, and two posts at a time", 2, 200*time.Microsecond, 2, 2)
	})
}
