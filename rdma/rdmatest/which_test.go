package rdmatest

import (
	"math/rand/v2"
	"testing"
)

// TestChanceOfNothing selects none, and the zero value all.
func TestChanceOfNothing(t *testing.T) {
	draw := rand.New(rand.NewPCG(1, 1))
	done := false
	for n := 1; n <= 20; n++ {
		if Chance(0).selects(n, &done, draw) || !Chance(1).selects(n, &done, draw) || !(Which{}).selects(n, &done, draw) {
			t.Fatal("the", n, "th is selected with another chance")
		}
	}
}
