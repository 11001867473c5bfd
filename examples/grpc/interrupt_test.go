package main

import (
	"bufio"
	"context"
	"io"
	"strings"
	"testing"

	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/godapl/godapl/rdma"
)

// TestInterrupt: a client with a stream does not keep a server that is interrupted.
func TestInterrupt(t *testing.T) {
	ctx, interrupt := context.WithCancel(t.Context())
	errs, w := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		ended <- run(ctx, strings.Fields("-adapter soft-tcp -serve -listen 127.0.0.1:0"), io.Discard, w)
	}()
	line, err := bufio.NewReader(errs).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	adapter, err := rdma.Open(t.Context(), "soft-tcp", rdma.OpenConfig{})
	if err != nil {
		t.Fatal(err)
	}
	defer adapter.Close()
	c, err := dial(adapter, strings.TrimSpace(strings.TrimPrefix(line, "serving at ")))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	s, err := c.NewStream(t.Context(), &description.Streams[0], "/godapl.Upper/Words")
	if err != nil {
		t.Fatal(err)
	}
	var answer message
	if err := s.SendMsg(wrapperspb.String("a")); err != nil {
		t.Fatal(err)
	}
	if err := s.RecvMsg(&answer); err != nil || answer.Value != "A" {
		t.Fatalf("%q, %v", answer.Value, err)
	}
	interrupt()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if err := s.RecvMsg(&answer); err == nil || err == io.EOF {
		t.Errorf("the stream goes on: %v", err)
	}
}
