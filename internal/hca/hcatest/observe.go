package hcatest

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
)

// Report is the output of an observed case.
type Report struct {
	Failed bool
	Log    []string
}

// Observe runs one case on a goroutine of its own, waits for it and its
// clean-ups, and reports. A panic counts as a failure.
func Observe(h Harness, c Case) Report {
	o := &observer{name: c.Group + "/" + c.Name}
	o.guard(func() { c.Run(o, h) })
	for {
		f := o.pop()
		if f == nil {
			break
		}
		o.guard(f)
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	return Report{Failed: o.failed, Log: slices.Clone(o.log)}
}

type observer struct {
	name string

	mu      sync.Mutex
	failed  bool
	log     []string
	cleanup []func()
}

// guard runs f where Fatalf may end the goroutine.
func (o *observer) guard(f func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() {
			if v := recover(); v != nil {
				o.Errorf("panic: %v\n%s", v, debug.Stack())
			}
		}()
		f()
	}()
	<-done
}

func (o *observer) pop() func() {
	o.mu.Lock()
	defer o.mu.Unlock()
	n := len(o.cleanup)
	if n == 0 {
		return nil
	}
	f := o.cleanup[n-1]
	o.cleanup = o.cleanup[:n-1]
	return f
}

func (o *observer) Helper()      {}
func (o *observer) Name() string { return o.name }

func (o *observer) Cleanup(f func()) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.cleanup = append(o.cleanup, f)
}

func (o *observer) Failed() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.failed
}

func (o *observer) say(failed bool, format string, args []any) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.failed = o.failed || failed
	o.log = append(o.log, fmt.Sprintf(format, args...))
}

func (o *observer) Logf(format string, args ...any)   { o.say(false, format, args) }
func (o *observer) Errorf(format string, args ...any) { o.say(true, format, args) }

func (o *observer) Fatalf(format string, args ...any) {
	o.say(true, format, args)
	runtime.Goexit()
}
