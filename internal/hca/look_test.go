package hca

import (
	"testing"
	"time"
)

// TestPatience: a look at many objects that are all held ends, enters what is free even then, and keeps something for
// one that is held for a moment behind ten that are held for ever. Each try takes a hundredth of a millisecond.
func TestPatience(t *testing.T) {
	var now time.Time
	clock := func() time.Time { return now }
	tries := 0
	held := func() bool { now = now.Add(10 * time.Microsecond); return false }
	free := func() bool { return true }
	brief := func() bool { tries++; return !held() && tries > 2 }
	p := NewPatience(true)
	p.clock = clock
	for range 10 {
		if p.Enter(held) {
			t.Fatal("entered what is held")
		}
	}
	if !p.Enter(brief) {
		t.Error("ten that are held for ever leave nothing for one that is held for a moment")
	}
	before := now
	for range 10_000 {
		p.Enter(held)
	}
	if took := now.Sub(before) - 10_000*10*time.Microsecond; took > lookTime || !p.Enter(free) {
		t.Errorf("10000 that are held took %v besides the first try of each", took)
	}
	tries = 0
	p = NewPatience(false)
	p.clock = clock
	if !p.Enter(brief) || p.Enter(held) || p.left > 0 {
		t.Errorf("one object: %d tries, %v left", tries, p.left)
	}
}
