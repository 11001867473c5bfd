package hca

import "testing"

// TestPatience: a look at many objects that are all held ends, enters what is free even then, and keeps something for
// one that is held for a moment behind ten that are held for ever.
func TestPatience(t *testing.T) {
	held, free := func() bool { return false }, func() bool { return true }
	tries := 0
	brief := func() bool { tries++; return tries > 2 }
	p := NewPatience(true)
	for range 10 {
		if p.Enter(held) {
			t.Fatal("entered what is held")
		}
	}
	if !p.Enter(brief) {
		t.Error("ten that are held for ever leave nothing for one that is held for a moment")
	}
	for range 100_000 { // a tenth of a second each is three hours
		p.Enter(held)
	}
	if p.left > lookTime/100 || !p.Enter(free) {
		t.Errorf("%v left", p.left)
	}
	tries = 0
	if p := NewPatience(false); !p.Enter(brief) || p.Enter(held) || p.left > 0 {
		t.Errorf("one object: %d tries, %v left", tries, p.left)
	}
}
