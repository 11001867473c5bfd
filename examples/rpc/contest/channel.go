package contest

import (
	"context"
	"fmt"
	"sync"
)

// overChannel is calls over an unbuffered Go channel, each answered over a channel of its lane: what
// a program has without any library.
func overChannel() Contender {
	var mu sync.Mutex
	servers := map[string]chan channelCall{}
	return Contender{
		Name: "channel", Against: "channel", Inside: true,
		Serve: func(context.Context, int) (string, func(), error) {
			mu.Lock()
			defer mu.Unlock()
			requests := make(chan channelCall)
			address := fmt.Sprint("channel ", len(servers))
			servers[address] = requests
			go func() {
				for call := range requests {
					Answer(call.bytes)
					call.done <- struct{}{}
				}
			}()
			return address, func() { close(requests) }, nil
		},
		Dial: func(_ context.Context, address string, s Setting) (clients []Client, stop func(), err error) {
			mu.Lock()
			defer mu.Unlock()
			requests := servers[address]
			for range s.Clients {
				clients = append(clients, func(ctx context.Context, lanes []*Lane) error {
					return Each(lanes, func(l *Lane) error { return channelCalls(requests, s.Size, l) })
				})
			}
			return clients, func() {}, nil
		},
	}
}

type channelCall struct {
	bytes []byte
	done  chan struct{}
}

func channelCalls(requests chan<- channelCall, size int, l *Lane) error {
	// The server has a copy, as it has of a mailbox's value.
	request, call := make([]byte, size), channelCall{make([]byte, size), make(chan struct{})}
	for l.Next(request) {
		copy(call.bytes, request)
		requests <- call
		<-call.done
		if err := l.Check(call.bytes); err != nil {
			return err
		}
	}
	return nil
}
