package fencetest_test

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/godapl/godapl/internal/fence/fencetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestEachRoundIsWhole(t *testing.T) {
	var a, b, checked uint64
	done := fencetest.Together(1000, func(r uint64) { a += r }, func(r uint64) { b += r }, func(r uint64) {
		if checked += r; a != checked || b != checked {
			t.Errorf("round %d: a %d, b %d, want %d", r, a, b, checked)
		}
	})
	if sum := done * (done + 1) / 2; done == 0 || done > 1000 || checked != sum {
		t.Fatalf("%d rounds, whose numbers add up to %d, want %d", done, checked, sum)
	}
}
