package park

import "testing"

// script is a kernel queue that reports what the test tells it to.
type script struct {
	Queue
	fds []int32
}

func (k *script) Ready(fds []int32) int {
	n := copy(fds, k.fds)
	k.fds = nil
	return n
}

// caller is a driver that counts its calls, and kicks the owner.
type caller struct {
	calls int
	kicks bool
}

func (d *caller) Arrived(p *Park) {
	d.calls++
	if d.kicks {
		(*p.Kicker())()
	}
}

// TestDriversAreCalledAgainBehindAKick: one that has seen the kick has perhaps left the end of its stream.
func TestDriversAreCalledAgainBehindAKick(t *testing.T) {
	var p Park
	var a Arrivals
	k, x, y := new(script), new(caller), new(caller)
	p.Use(k, &a)
	a.Expect(3, x)
	a.Expect(4, y)
	if !p.AcquirePark() {
		t.Fatal("the park has an owner")
	}
	a.Begin()
	round := func(what string, wantX, wantY int) {
		t.Helper()
		x.calls, y.calls = 0, 0
		a.Arrived(&p)
		if x.calls != wantX || y.calls != wantY {
			t.Errorf("%s: %d and %d calls, want %d and %d", what, x.calls, y.calls, wantX, wantY)
		}
	}
	round("the first", 1, 1)
	round("nothing arrives", 0, 0)
	k.fds = []int32{3}
	round("one arrives", 1, 0)
	k.fds, x.kicks = []int32{3}, true
	round("one arrives and kicks", 1, 0)
	x.kicks = false
	p.ReleasePark() // the owner takes note of the kick
	p.AcquirePark()
	round("behind the kick", 1, 1)
	round("nothing arrives any more", 0, 0)
}
