package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/asynkron/protoactor-go/actor"
	"github.com/asynkron/protoactor-go/remote"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/godapl/godapl/examples/rpc/contest"
)

// overActors is requests to an actor in another process: protoactor-go's package remote.
func overActors() contest.Contender {
	return contest.Contender{Name: "protoactor", Against: "net",
		Serve: func(context.Context, int) (string, func(), error) {
			system, stop := startSystem()
			_, err := system.Root.SpawnNamed(actor.PropsFromFunc(answer), "calls")
			if err != nil {
				stop()
				return "", nil, err
			}
			return system.Address(), stop, nil
		},
		Dial: func(_ context.Context, address string, s contest.Setting) (clients []contest.Client, stop func(), err error) {
			system, stop := startSystem()
			to := actor.NewPID(address, "calls")
			for range s.Clients {
				clients = append(clients, func(_ context.Context, lanes []*contest.Lane) error {
					return contest.Each(lanes, func(l *contest.Lane) error { return request(system, to, s.Size, l) })
				})
			}
			return clients, stop, nil
		},
	}
}

// startSystem starts an actor system that others can reach.
func startSystem() (*actor.ActorSystem, func()) {
	quiet := func(*actor.ActorSystem) *slog.Logger { return slog.New(slog.NewTextHandler(io.Discard, nil)) }
	system := actor.NewActorSystem(actor.WithLoggerFactory(quiet))
	r := remote.NewRemote(system, remote.Configure("127.0.0.1", 0))
	r.Start()
	return system, func() {
		r.Shutdown(true)
		system.Shutdown()
	}
}

// answer is the actor.
func answer(c actor.Context) {
	if message, ok := c.Message().(*wrapperspb.BytesValue); ok {
		contest.Answer(message.Value)
		c.Respond(message)
	}
}

func request(system *actor.ActorSystem, to *actor.PID, size int, l *contest.Lane) error {
	for {
		message := &wrapperspb.BytesValue{Value: make([]byte, size)} // the framework encodes it later
		if !l.Next(message.Value) {
			return nil
		}
		got, err := system.Root.RequestFuture(to, message, time.Minute).Result()
		if err != nil {
			return err
		}
		answer, ok := got.(*wrapperspb.BytesValue)
		if !ok || len(answer.Value) != size {
			return fmt.Errorf("%T instead of an answer", got)
		}
		if err := l.Check(answer.Value); err != nil {
			return err
		}
	}
}
