package shm_test

import (
	"errors"
	"testing"

	"github.com/godapl/godapl/internal/shm"
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func made[T any](v T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		must(t, err)
		return v
	}
}

func wants(t testing.TB, what string, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("%s: %v, want %v", what, err, want)
	}
	var e *shm.Error
	if err != nil && !errors.As(err, &e) {
		t.Errorf("%s: %T is no *shm.Error", what, err)
	}
}
