package conns

import "testing"

// TestASmallSetAsksItsMembers if they are few. If they are many, it answers yes.
func TestASmallSetAsksItsMembers(t *testing.T) {
	var s Small[int]
	yes, no := func() bool { return true }, func() bool { return false }
	want := func(x int, want bool) {
		t.Helper()
		if got := s.Any(func(y int) bool { return x == y }); got != want {
			t.Fatalf("%d is found: %t, want %t", x, got, want)
		}
	}
	want(1, false)
	for x := range mostMembers {
		s.Note(x, yes)
		s.Note(x, yes)
	}
	want(1, true)
	want(mostMembers, false)
	for _, x := range []int{100, 101, 102} {
		s.Note(x, yes)
		want(-1, true)
	}
	for _, x := range []int{100, 101} {
		s.Note(x, no)
		want(-1, true)
	}
	s.Note(102, no)
	want(-1, false)
	for x := range mostMembers {
		s.Note(x, no)
		want(x, false)
	}
}
