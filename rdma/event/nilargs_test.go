package event_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/godapl/godapl/rdma/event"
)

// A nil argument is an error of the call, or, where the call returns none, a panic that
// names it and leaves no lock held. nil takes a flag and a notification away.
func TestNilArguments(t *testing.T) {
	d := event.New[int](event.Config{Name: "d"})
	s := event.NewSet()
	defer s.Close()
	defer d.Close()
	var ctx context.Context
	two := func(_ any, err error) error { return err }
	for name, call := range map[string]func() error{
		"Wait":            func() error { _, _, err := d.Wait(ctx, 1); return err },
		"WaitBatch":       func() error { return two(d.WaitBatch(ctx, make([]int, 1))) },
		"WaitTimeoutInto": func() error { return two(event.ProviderOf(d).WaitTimeoutInto(nil, event.Forever, 1)) },
		"Attach":          func() error { return event.ProviderOf(d).Attach(nil) },
		"Detach":          func() error { return event.ProviderOf(d).Detach(nil) },
		"Set.Wait":        func() error { return two(s.Wait(ctx)) },
		"Set.WaitTrigger": func() error { return two(s.WaitTrigger(ctx)) },
		"Set.Add":         func() error { return s.Add(nil) },
		"Set.Remove":      func() error { return s.Remove(nil) },
	} {
		if err := call(); !errors.Is(err, event.ErrInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, call := range map[string]func(){
		"Drain":           func() { d.Drain(ctx, make([]int, 1)) },
		"Ready":           func() { s.Ready(ctx) },
		"Put":             func() { event.ProviderOf(d).Put(nil, false) },
		"PutAfterSources": func() { event.ProviderOf(d).PutAfterSources(nil, false) },
	} {
		func() {
			defer func() {
				if v := fmt.Sprint(recover()); !strings.HasPrefix(v, "rdma/event: "+name+": ") {
					t.Errorf("%s: panic: %v", name, v)
				}
			}()
			call()
		}()
	}
	event.ProviderOf(d).Flag(nil)
	if err := s.Notify(nil); err != nil {
		t.Error(err)
	}
	if err := d.Post(1); err != nil || d.Len() != 1 {
		t.Errorf("%v, %d events", err, d.Len())
	}
}
