package status_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/godapl/godapl/rdma/status"
)

func ExampleError() {
	var err error = &status.Error{Op: "post send", Object: "endpoint 3", Code: status.ErrQueueFull, Detail: "take completions first"}
	var e *status.Error
	if errors.As(err, &e) {
		fmt.Println(e.Op, "|", e.Code, "|", e.Detail)
	}
	fmt.Println(err)
	// Output:
	// post send | queue full | take completions first
	// post send on endpoint 3: queue full: take completions first
}

func ExampleCode() {
	var err error = &status.Error{Op: "wait", Code: status.ErrTimeout}
	fmt.Println(errors.Is(err, status.ErrTimeout), errors.Is(err, os.ErrDeadlineExceeded), errors.Is(err, context.Canceled))
	// Output: true true false
}

func ExampleStatus() {
	var err error = &status.Error{Op: "write", Code: status.ErrWork, Status: status.StatusRemoteAccess}
	var e *status.Error
	fmt.Println(errors.As(err, &e) && e.Status == status.StatusRemoteAccess, err)
	// Output: true write: remote access error
}

func ExampleOp() {
	fmt.Println(status.OpWriteImm, status.OpWriteImm.IsRecv(), status.OpRecvWriteImm.IsRecv())
	// Output: write-immediate false true
}

func ExampleFlight() {
	err := &status.Error{Op: "connection", Object: "connection to host:7471", Code: status.ErrBroken,
		Flight: status.Flight{{Kind: status.FlightEstablished}, {Kind: status.FlightBroken}}}
	fmt.Printf("%v\n\n", err)
	fmt.Printf("%+v\n", err)
	// Output:
	// connection to host:7471: connection broken
	//
	// connection to host:7471: connection broken
	// 00:00:00.000000 established
	// 00:00:00.000000 broken
}

func ExampleFlightEvent() {
	var e status.FlightEvent
	e.Kind, e.Op, e.Length, e.Cookie = status.FlightOutstanding, status.OpRead, 8, 1
	fmt.Println(e)
	// Output: 00:00:00.000000 read, 8 bytes, cookie 0x1: outstanding
}

func ExampleFlightKind() {
	kind := status.FlightStall
	fmt.Println(kind)
	// Output: the transport has no room
}

func ExampleLatency() {
	var h status.Latency
	for range 99 {
		h.Record(900 * time.Nanosecond)
	}
	h.Record(time.Millisecond)
	fmt.Println("half below", h.Quantile(0.5), "and all below", h.Quantile(1))
	// Output: half below 1.024µs and all below 1.048576ms
}
