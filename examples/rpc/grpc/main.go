// Command grpc makes the same calls over mailboxes, sockets, gRPC and an actor framework, in turns.
//
//	cd examples/rpc/grpc
//	go run .
//	go run . -sizes 64 -clients 100 -contenders mailbox-shm,unix,grpc-unix
//
// It is examples/rpc/compare with three contenders more, and is a module of its own, so that the
// library does not depend on them:
//
//	grpc-unix, grpc-tcp  unary calls of gRPC, a connection for each client
//	protoactor           requests of protoactor-go's package remote, between two actor systems
//
// The clients of protoactor share its one connection between the two processes, as that framework
// does it.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"

	"github.com/godapl/godapl/examples/rpc/contest"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := contest.Main(ctx, contenders(), os.Args[1:], os.Stdout, os.Stderr)
	stop()
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "grpc:", err)
		os.Exit(1)
	}
}

func contenders() []contest.Contender {
	return append(contest.Contenders(), overGRPC("grpc-unix", "unix"), overGRPC("grpc-tcp", "tcp"), overActors())
}
