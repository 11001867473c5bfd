// Command compare makes the same calls over mailboxes, over unix sockets and over net.Conn, in turns.
//
//	go run ./examples/rpc/compare
//	go run ./examples/rpc/compare -sizes 64 -clients 1,100 -load
//	go run ./examples/rpc/compare -figures figures
//
// The server is a second process, and for mailbox-loop and channel the same one. The table has a
// row for each contender and setting: calls in a second, latencies, and the processor time of a
// call, of both processes together. All numbers are medians of the rounds. So is the last column: the
// ratio of the rates of two contenders is taken in each round, where the machine was the same for both,
// and it need not be the quotient of the two medians. The run tells first how long it will take.
//
// examples/rpc/grpc does the same with gRPC and an actor framework besides, as a module of its own.
// Package contest has the code of both.
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
	err := contest.Main(ctx, contest.Contenders(), os.Args[1:], os.Stdout, os.Stderr)
	stop()
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "compare:", err)
		os.Exit(1)
	}
}
