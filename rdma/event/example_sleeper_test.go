package event_test

import (
	"fmt"

	"github.com/godapl/godapl/rdma/event"
)

// A thread of C would sleep in poll(2) where this example receives from a channel.
func ExampleSleeper() {
	woken := make(chan struct{}, 1)
	s := event.NewSleeper[string](func() {
		select {
		case woken <- struct{}{}:
		default: // it is awake already
		}
	})
	d := event.New[string](event.Config{})
	defer d.Close()
	go d.Post("hello")

	var first string
	more, asleep, err := s.Begin(d, &first, 1, true)
	for asleep {
		<-woken // or one of s.Descriptors is readable
		more, asleep, err = s.Again(&first, false)
	}
	fmt.Println(first, more, err)
	// Output: hello 0 <nil>
}

func ExampleSetSleeper() {
	woken := make(chan struct{}, 1)
	s := event.NewSetSleeper(func() {
		select {
		case woken <- struct{}{}:
		default:
		}
	})
	d := event.New[string](event.Config{Name: "greetings"})
	defer d.Close()
	set := event.NewSet()
	defer set.Close()
	set.Add(d)
	go d.Post("hello")

	ready, asleep, err := s.Begin(set, true)
	for asleep {
		<-woken
		ready, asleep, err = s.Again(false)
	}
	fmt.Println(ready.Name(), err)
	// Output: greetings <nil>
}
