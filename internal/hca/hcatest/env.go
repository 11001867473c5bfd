package hcatest

import (
	"context"
	"errors"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/godapl/godapl/internal/hca"
)

// seed is GODAPL_SEED, or a new one for every run.
var seed = sync.OnceValue(func() uint64 {
	if n, err := strconv.ParseUint(os.Getenv("GODAPL_SEED"), 10, 64); err == nil {
		return n
	}
	return rand.Uint64()
})

// env is the environment of a case: its TB, the harness, and helpers.
type env struct {
	TB
	h *Harness
	// rng belongs to the case's goroutine. It depends on the seed and the
	// case's name only, so that a single case repeats.
	rng *rand.Rand
}

func newEnv(t TB, h *Harness, name string) *env {
	f := fnv.New64a()
	f.Write([]byte(name))
	return &env{TB: t, h: h, rng: rand.New(rand.NewPCG(seed(), f.Sum64()))}
}

// fork makes a source of random numbers for another goroutine.
func (t *env) fork() *rand.Rand { return rand.New(rand.NewPCG(t.rng.Uint64(), t.rng.Uint64())) }

// ctx bounds a single wait.
func (t *env) ctx() context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), t.h.patience())
	t.Cleanup(cancel)
	return ctx
}

// within runs a call that cannot be cancelled and has to come back.
func (t *env) within(what string, f func() error) error {
	t.Helper()
	return t.result(what, start(f))
}

// start runs f on a goroutine. The channel takes its result.
func start(f func() error) <-chan error {
	done := make(chan error, 1)
	go func() {
		err := errors.New("failed in a callback") // Fatalf ends the goroutine
		defer func() { done <- err }()
		err = f()
	}()
	return done
}

// result waits for the result of start.
func (t *env) result(what string, done <-chan error) error {
	t.Helper()
	timer := time.NewTimer(t.h.patience())
	defer timer.Stop()
	select {
	case err := <-done:
		return err
	case <-timer.C:
		t.Fatalf("%s: not back after %v", what, t.h.patience())
		return nil
	}
}

// await waits for a channel to be closed or to deliver.
func await[T any](t *env, what string, c <-chan T) T {
	t.Helper()
	timer := time.NewTimer(t.h.patience())
	defer timer.Stop()
	var zero T
	select {
	case v := <-c:
		return v
	case <-timer.C:
		t.Fatalf("%s: nothing after %v", what, t.h.patience())
		return zero
	}
}

// must ends the case if err is not nil.
func (t *env) must(what string, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
}

// code checks that err is an error of this module with one of the codes.
func (t *env) code(what string, err error, codes ...hca.Code) {
	t.Helper()
	var e *hca.Error
	switch {
	case err == nil:
		t.Errorf("%s: succeeded, want %v", what, codes)
	case !errors.As(err, &e):
		t.Errorf("%s: %T %v, want an *hca.Error with %v", what, err, err, codes)
	case !slices.Contains(codes, e.Code):
		t.Errorf("%s: %v (code %v), want %v", what, err, e.Code, codes)
	case e.Op == "":
		t.Errorf("%s: the error %q does not name the call", what, err)
	}
}

// gone checks the answer to a second Close: nothing, or that it is closed.
func (t *env) gone(what string, err error) {
	t.Helper()
	if err != nil {
		t.code(what, err, hca.Closed)
	}
}
