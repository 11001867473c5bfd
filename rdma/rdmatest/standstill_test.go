package rdmatest

import (
	"runtime"
	"strings"
	"testing"
)

// TestAStepWithoutEndFails: a connection that uses its stream for ever loses it, and the world fails.
func TestAStepWithoutEndFails(t *testing.T) {
	uses := 0
	w, failed := apart(1, nil, func(t *testing.T, w *World) {
		a, b := w.Host("a"), w.Host("b")
		ln, err := (&fabric{b}).Listen(w.Context(), ":1")
		check(t, err)
		defer ln.Close()
		dialled, err := (&fabric{a}).Dial(w.Context(), "b:1")
		check(t, err)
		accepted, err := ln.Accept()
		check(t, err)
		defer accepted.Close()
		x := dialled.(*end).NewWire(func() {})
		for {
			uses++
			if _, err := x.Write([][]byte{{}}); err != nil && strings.Contains(err.Error(), "reset") {
				break
			}
		}
		<-w.Context().Done()
		check(t, dialled.Close())
	})
	if w == nil || !failed || uses < mostWithin || uses > mostWithin+1 {
		t.Errorf("failed: %v, after %d uses", failed, uses)
	}
}

// TestAStandIsSeenFromOutside: a world that ends no step is seen, and one that does is not.
func TestAStandIsSeenFromOutside(t *testing.T) {
	defer latest.Store(latest.Load())
	w := &World{seed: 17}
	w.trace.init()
	w.record("deliver", "a>b", 1)
	latest.Store(w)
	var v vigil
	for i := range 3 * vigilLooks {
		if w.turns.Add(1); v.look() {
			t.Fatalf("look %d takes a world that moves for one that stands", i)
		}
	}
	for i := range vigilLooks {
		if v.look() != (i == vigilLooks-1) {
			t.Fatalf("look %d of a world that stands", i)
		}
	}
	for _, want := range []string{"this was seed 17,", "deliver a>b"} {
		if s := w.stands(); !strings.Contains(s, want) {
			t.Errorf("%q is not in %q", want, s)
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if s := w.stands(); strings.Contains(s, "deliver") {
		t.Error("its history was read without its lock")
	}
}

// TestAWorldThatIsOverDoesNotStand: that of a parallel test may be the latest for minutes.
func TestAWorldThatIsOverDoesNotStand(t *testing.T) {
	defer latest.Store(latest.Load())
	program := func(*testing.T, *World) {}
	for name, run := range map[string]func(){
		"Worlds": func() { Worlds(t, 1, program) }, "Replay": func() { Replay(t, 1, program) },
		"apart": func() { _, _ = apart(1, nil, program) },
	} {
		run()
		var v vigil
		for range 2 * vigilLooks {
			if v.look() {
				t.Errorf("%s leaves a world that is taken for one that stands", name)
			}
		}
	}
}

// TestParallelWorldsLeaveTheProcessors: while anybody needs one processor there is one, and then as many as before, in
// whatever order parallel tests end.
func TestParallelWorldsLeaveTheProcessors(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(3))
	first := alone()
	second := alone()
	first()
	if n := runtime.GOMAXPROCS(0); n != 1 {
		t.Errorf("%d processors while the second needs one", n)
	}
	second()
	if n := runtime.GOMAXPROCS(0); n != 3 {
		t.Errorf("%d processors at the end, and 3 before", n)
	}
}
