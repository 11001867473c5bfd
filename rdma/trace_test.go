package rdma_test

import (
	"bytes"
	"runtime/trace"
	"strings"
	"testing"
	"time"
)

// TestTraces: a trace has tasks for what connects and regions for what waits.
func TestTraces(t *testing.T) {
	if trace.IsEnabled() {
		t.Skip("another trace is taken")
	}
	var b bytes.Buffer
	if err := trace.Start(&b); err != nil {
		t.Fatal(err)
	}
	x, y := connect(t, "soft-loop")
	received := make(chan error)
	go func() {
		_, err := y.conn.Recv(within(t), y.mem.Slice(0, 64))
		received <- err
	}()
	if err := x.conn.Send(within(t), x.mem.Slice(0, 8)); err != nil {
		t.Fatal(err)
	}
	must(t, <-received)
	if _, err := x.conn.Write(within(t), x.mem.Slice(0, 8), y.mem.Slice(0, 8).Remote()); err != nil {
		t.Fatal(err)
	}
	if err := x.conn.Shutdown(within(t)); err != nil {
		t.Fatal(err)
	}
	if _, _, err := x.conn.RecvCompletions().WaitTimeout(time.Millisecond, 1); err == nil {
		t.Error("there was something to wait for")
	}
	trace.Stop()
	for _, want := range []string{"rdma connect", "rdma accept", "rdma send", "rdma receive", "rdma write", "rdma shut down", "rdma wait"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the trace lacks %q", want)
		}
	}
}
